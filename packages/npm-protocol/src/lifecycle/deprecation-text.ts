import { NpmError } from "../errors.ts";
import { isObject } from "../json.ts";

/** Characters of the text that a version is deprecated with. */
const TEXT_LENGTH_MAX = 8192;

/**
 * Returns the text in `deprecated` of a manifest. An empty text and a value that is not a text do
 * not deprecate the version.
 * @param version names the version in the error
 * @throws NpmError `document-invalid` for a text above 8192 characters
 */
export function deprecationText(version: string, manifest: unknown): string | undefined {
  const text = isObject(manifest) ? manifest["deprecated"] : undefined;
  if (typeof text !== "string" || text === "") return undefined;
  if (text.length <= TEXT_LENGTH_MAX) return text;
  throw new NpmError(
    "document-invalid",
    `The deprecation of ${version} is longer than ${TEXT_LENGTH_MAX} characters; shorten it.`,
  );
}
