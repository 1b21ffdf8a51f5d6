// Imports: a file is sent, shown as it is understood, changed where that is wrong, and imported.
import { useSignal } from "@preact/signals";
import { open, param } from "../frame/place.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Listing } from "../parts/listing.tsx";
import { When } from "../parts/when.tsx";
import { FileView } from "./file.tsx";
import { say } from "./say.ts";
import { SendPanel } from "./send.tsx";
import { type ImportedFile, useFiles } from "./store.ts";
import { sizeText, stateText } from "./value.ts";

/** The page. */
export function ImportPage() {
  const again = useSignal(0);
  const id = param("file");
  const files = useFiles(`${again.value} ${id}`);
  if (id !== undefined) {
    return (
      <div class="import">
        <Link page="import" class="button import-back">{say().back}</Link>
        <Loaded of={files}>
          {({ settings }) => (
            <FileView
              key={id}
              id={id}
              known={settings}
              onRemoved={() => {
                again.value++;
                open("import");
              }}
            />
          )}
        </Loaded>
      </div>
    );
  }
  return (
    <div class="import">
      <SendPanel onSent={({ import_id }) => open("import", { file: import_id })} />
      <Panel title={say().files}>
        <Loaded of={files} isEmpty={({ imports }) => imports.length === 0} empty={say().no_files}>
          {({ imports }) => <FileList files={imports} />}
        </Loaded>
      </Panel>
    </div>
  );
}

function FileList({ files }: { readonly files: readonly ImportedFile[] }) {
  const columns = [
    { name: say().file },
    { name: say().state },
    { name: say().size, is_number: true },
    { name: say().sent_at },
  ];
  const rows = files.toReversed().map((file) => ({
    key: file.import_id,
    cells: [
      <Link page="import" params={{ file: file.import_id }} class="import-name">
        {file.name || file.import_id}
      </Link>,
      stateText(file),
      sizeText(file.bytes),
      <When at={file.created_at} />,
    ],
  }));
  return <Listing label={say().files} columns={columns} rows={rows} />;
}
