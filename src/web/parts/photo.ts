// Photos of a phone's camera, made small enough to be sent from the field.
import { photo_media_types } from "../../model/work/photo.ts";

/** Up to this size a photo is sent as it is. */
const small_bytes = 1024 * 1024;

/** The longer side of what is sent instead, in pixels: a type plate is still read. */
const longest = 2048;

const quality = 0.85;

/** A photo as it is sent: a large one, or one of another format, as a smaller JPEG. */
export async function fitPhoto(file: File): Promise<Blob> {
  const isTaken = (photo_media_types as readonly string[]).includes(file.type);
  if (isTaken && file.size <= small_bytes) return file;
  const image = await createImageBitmap(file).catch(() => undefined);
  // What this browser can't read is for the service to refuse.
  if (image === undefined) return file;
  const scale = Math.min(1, longest / Math.max(image.width, image.height));
  const canvas = new OffscreenCanvas(
    Math.round(image.width * scale),
    Math.round(image.height * scale),
  );
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return await canvas.convertToBlob({ type: "image/jpeg", quality });
}
