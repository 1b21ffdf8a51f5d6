// Priorities and statuses of work in English, as every page calls them.

export const work_values_en = {
  priority_urgent: "urgent",
  priority_high: "high",
  priority_medium: "medium",
  priority_low: "low",
  status_open: "open",
  status_in_progress: "in progress",
  status_on_hold: "on hold",
  status_resolved: "resolved",
  status_closed: "closed",
  status_merged: "merged",
  status_draft: "draft",
  status_scheduled: "scheduled",
  status_completed: "completed",
  status_cancelled: "cancelled",
};
