import type { SigningExtension } from "@sealhouse/repo-signing";

const extension: SigningExtension = {
  name: "@sealhouse/signing-azure-key-vault",
  signingModes: {},
};
export default extension;
