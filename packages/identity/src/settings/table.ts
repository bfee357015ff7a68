import type { SettingsTable } from "@sealhouse/settings";

/** Settings of token hashes and of the key ring. */
export const IDENTITY_SETTINGS = {
  Host__TokenHashPepper: {
    kind: { type: "text" },
    secret: true,
    otherwise: "required; generated and kept under `Host__DataPath` in Development",
    about:
      "Secret key of the hashes of API tokens: 32 bytes or more, the same on every " +
      "instance, and never changed.",
  },
  Host__DataProtection__KeyPath: {
    kind: { type: "folder" },
    otherwise: "`dataprotection-keys` under `Host__DataPath`",
    about:
      "Folder of the key ring that encrypts secrets where they are stored, such as the keys of " +
      "npm's signatures; must outlive the process, and be the same on all instances.",
  },
  Host__DataProtection__ApplicationName: {
    kind: { type: "text" },
    fallback: "Sealhouse",
    about: "Name of the application that uses the keys; the same on all instances of one feed.",
  },
  Host__DataProtection__KeyEncryptionKey: {
    kind: { type: "text" },
    secret: true,
    otherwise: "the key files are not encrypted",
    about:
      "Encrypts the key files: 32 random bytes as base64, the same on all instances. Without it, " +
      "the host cannot read encrypted key files.",
  },
  Host__DataProtection__KeyEncryptionKeyPath: {
    kind: { type: "path" },
    about: "File that contains the value of `Host__DataProtection__KeyEncryptionKey` instead.",
  },
} as const satisfies SettingsTable;
