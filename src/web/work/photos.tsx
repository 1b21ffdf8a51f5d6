// The photos of an issue or a work order, and taking another one.
import { useSignal } from "@preact/signals";
import { work_limits } from "../../model/work/limits.ts";
import { requestAddress, send, upload } from "../frame/api.ts";
import { work_beat } from "../frame/live.ts";
import { percentText } from "../frame/number.ts";
import { fitPhoto } from "../parts/photo.ts";
import { project, zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { useSending } from "../parts/act.ts";
import { Refused } from "./act.tsx";
import { Asked } from "../parts/form.tsx";
import { say } from "./say.ts";
import type { Photo } from "./store.ts";
import { actorText } from "./value.ts";

/** How far the sending of photos has come. */
type Progress = { readonly at: number; readonly of: number; readonly share: number };

/** The photos of what is at `path`. */
export function Photos({ path, photos, mayChange }: {
  readonly path: string;
  readonly photos: readonly Photo[];
  readonly mayChange: boolean;
}) {
  return (
    <section>
      <h3>{say().photos(String(photos.length))}</h3>
      {mayChange && <Take path={path} left={work_limits.photos - photos.length} />}
      {photos.length === 0 && <p class="quiet">{say().no_photos}</p>}
      <ul class="work-photos">
        {photos.map((photo) => <Thumbnail {...{ path, photo, mayChange }} key={photo.photo_id} />)}
      </ul>
    </section>
  );
}

/** Takes photos by the camera, or from where files are. */
function Take({ path, left }: { readonly path: string; readonly left: number }) {
  const progress = useSignal<Progress | undefined>(undefined);
  const sending = useSending();
  const query = { project_id: project.value!.id };
  const take = async (files: readonly File[]) => {
    for (const [i, file] of files.entries()) {
      const tell = (share: number) => progress.value = { at: i + 1, of: files.length, share };
      tell(0);
      await upload(`${path}/photos`, { query, file: await fitPhoto(file), onProgress: tell });
      work_beat.value++;
    }
  };
  const onFiles = (files: readonly File[]) =>
    void sending.send(() => take(files).finally(() => progress.value = undefined));
  if (left <= 0) return <p class="quiet">{say().photos_full(String(work_limits.photos))}</p>;
  const { at, of, share } = progress.value ?? {};
  return (
    <>
      <div class="row work-take">
        <PhotoInput
          label={say().take_photo}
          isDisabled={at !== undefined}
          onFiles={onFiles}
          hasCamera
        />
        <PhotoInput label={say().choose_photos} isDisabled={at !== undefined} onFiles={onFiles} />
      </div>
      {at !== undefined && (
        <p role="status">
          {say().sending_photo(String(at), String(of), percentText(share, 0))}{" "}
          <progress value={share} aria-label={say().sending} />
        </p>
      )}
      <Refused problem={sending.problem} />
    </>
  );
}

function PhotoInput({ label, isDisabled, onFiles, hasCamera = false }: {
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly hasCamera?: boolean;
}) {
  return (
    <label class="button">
      {label}
      <input
        type="file"
        class="hidden"
        accept="image/*"
        capture={hasCamera ? "environment" : undefined}
        multiple={!hasCamera}
        disabled={isDisabled}
        onChange={({ currentTarget }) => {
          onFiles([...currentTarget.files ?? []]);
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

function Thumbnail({ path, photo, mayChange }: {
  readonly path: string;
  readonly photo: Photo;
  readonly mayChange: boolean;
}) {
  const { photo_id, created_by, created_at, to_come } = photo;
  const query = { project_id: project.value!.id };
  const own = `${path}/photos/${encodeURIComponent(photo_id)}`;
  const said = say().photo_by(
    actorText(created_by),
    instantText(Date.parse(created_at), zone.value),
  );
  const address = requestAddress(own, query);
  const remove = async () => {
    await send("DELETE", own, { query });
    work_beat.value++;
  };
  return (
    <li>
      {to_come
        ? <p class="work-to-come" role="status">{say().photo_to_come}</p>
        : (
          <a href={address} target="_blank" rel="noopener">
            <img src={address} alt={said} loading="lazy" />
          </a>
        )}
      <span class="quiet small">{said}</span>
      {mayChange && (
        <Asked
          button={say().remove}
          question={say().remove_photo}
          answer={say().remove}
          onYes={() => remove()}
        />
      )}
    </li>
  );
}
