/** The line that a search has found, with the words that it was searched for. */
interface Piece {
  text: string;
  isMatch: boolean;
}

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

/** The text in pieces, those that begin with one of the words marked; where none does, nothing is. */
export function piecesOf(text: string, q: string): Piece[] {
  const words = q.match(WORD) ?? [];
  if (words.length === 0) return [{ text, isMatch: false }];
  const pieces = text.split(new RegExp(`(?<![\\p{L}\\p{N}_])(${words.join("|")})`, "giu"));
  return pieces.map((piece, place) => ({ text: piece, isMatch: place % 2 === 1 })).filter((piece) => piece.text !== "");
}
