import { coversName, isTokenSettingError, parsePatterns } from "@sealhouse/identity";
import type { NamePatterns } from "@sealhouse/oci-distribution/settings";

/** Repositories and tags, by the same patterns as the names of a token. */
export const ociNamePatterns: NamePatterns = (text, refuse) => {
  try {
    const patterns = parsePatterns(text);
    return (name) => patterns.some((pattern) => coversName(pattern, "oci", name));
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    refuse(error.message.replace("A token has", "A rule has"));
    return () => false;
  }
};
