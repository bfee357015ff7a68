import { googleSigning } from "./google-signing.ts";

export { googleSigning };

/** What a host looks for in a module that it is told to load. */
export const extension = googleSigning();
