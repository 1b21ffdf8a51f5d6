// How much two pictures differ to somebody who sees no colours.
import type { Page } from "playwright-core";

/** The mean difference of two pictures in greys, from 0 to 1, as a page's canvas decodes them. */
export function differenceInGreys(page: Page, one: Uint8Array, other: Uint8Array): Promise<number> {
  return page.evaluate(async (pictures) => {
    const side = 24;
    const [a, b] = await Promise.all(pictures.map(async (picture) => {
      const bytes = Uint8Array.from(atob(picture), (it) => it.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(side, side).getContext("2d")!;
      context.drawImage(image, 0, 0, side, side);
      const { data } = context.getImageData(0, 0, side, side);
      return Float64Array.from({ length: side * side }, (_, i) => {
        const [red, green, blue] = data.subarray(4 * i);
        return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
      });
    }));
    return a.reduce((sum, it, i) => sum + Math.abs(it - b[i]), 0) / a.length;
  }, [one.toBase64(), other.toBase64()]);
}
