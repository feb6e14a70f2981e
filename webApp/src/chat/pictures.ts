/** Files of the user as parts of a message: those that the server takes, and a sentence for each of the others. */
import type { FileUIPart } from "ai";
import { strings } from "../strings";

export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MAX_PICTURES = 10;
const MAX_BYTES = 5_000_000;
const MAX_BYTES_TOGETHER = 5_800_000; // a body has at most 8 MB, and base64 makes a third more of them

export interface Chosen {
  taken: File[];
  refused: string[];
}

/** `there`: what is attached already, in number and bytes. */
export function choose(files: File[], there: { count: number; bytes: number }): Chosen {
  const chosen: Chosen = { taken: [], refused: [] };
  let { count, bytes } = there;
  for (const file of files) {
    if (!PICTURE_TYPES.includes(file.type)) chosen.refused.push(strings.chat.pictureUnknown(file.name));
    else if (file.size > MAX_BYTES) chosen.refused.push(strings.chat.pictureTooLarge(file.name));
    else if (count >= MAX_PICTURES) chosen.refused.push(strings.chat.tooManyPictures);
    else if (bytes + file.size > MAX_BYTES_TOGETHER) chosen.refused.push(strings.chat.picturesTooLarge);
    else {
      chosen.taken.push(file);
      count += 1;
      bytes += file.size;
    }
  }
  return { ...chosen, refused: [...new Set(chosen.refused)] };
}

/** How many bytes a data: address stands for. */
export const bytesOf = (url: string): number => Math.floor(((url.length - url.indexOf(",") - 1) * 3) / 4);

export function asPart(file: File): Promise<FileUIPart> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ type: "file", mediaType: file.type, filename: file.name, url: String(reader.result) });
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}
