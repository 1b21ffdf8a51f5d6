// The saved views' texts in English.

export const views_en = {
  title: "Views",
  saved: "Saved views",
  none: "No view of this page is saved yet.",
  past: "A replay shows the views that have not changed since its moment. Go back to now " +
    "to save one.",
  by: (name: string) => `by ${name}`,
  shown: "shown now",
  save_shown: "Save what is shown",
  span: "The last hours or days go along with the time; ends that were chosen stay.",
  name: "Name",
  change: "Change",
  change_of: (name: string) => `Change “${name}”`,
  replace: "Also save what is shown now in its place",
  remove: "Remove",
  remove_of: (name: string) => `Remove “${name}” for everybody?`,
  was_saved: (name: string) => `Saved: ${name}`,
  was_removed: (name: string) => `Removed: ${name}`,
  save: "Save",
  copy_address: "Copy the address",
};
