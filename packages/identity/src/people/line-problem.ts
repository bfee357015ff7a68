/** Maximum number of characters of the displayed name of a user or team. */
export const DISPLAY_NAME_MAX = 200;
/** Maximum number of characters of the reason for a block. */
export const REASON_MAX = 500;

/** Returns why a text is not one short line, as the end of a sentence; undefined when it is. */
export function lineProblem(text: string, lengthMax: number): string | undefined {
  if (text.length <= lengthMax && !/\p{Cc}/u.test(text)) return undefined;
  return `must have at most ${lengthMax} characters, in one line`;
}
