import type { SigningExtension } from "@sealhouse/repo-signing";

const extension: SigningExtension = { name: "@sealhouse/signing-aws", signingModes: {} };
export default extension;
