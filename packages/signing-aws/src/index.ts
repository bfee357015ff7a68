import type { SigningExtension } from "@sealhouse/repo-signing";

/** What the host looks for in a module that it is told to load. */
export const extension: SigningExtension = { name: "@sealhouse/signing-aws", signingModes: {} };
