import { googleSigning } from "./google-signing.ts";

export { googleSigning };

/** The export that a host expects of an extension module. */
export const extension = googleSigning();
