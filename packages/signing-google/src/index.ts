import type { SigningExtension } from "@sealhouse/repo-signing";

const extension: SigningExtension = { name: "@sealhouse/signing-google", signingModes: {} };
export default extension;
