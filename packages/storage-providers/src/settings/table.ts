import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the storage. */
export const STORAGE_SETTINGS = {
  Storage__Type: {
    kind: { type: "choice", values: ["FileSystem"], spellings: { FileStorage: "FileSystem" } },
    fallback: "FileSystem",
    about:
      "Where artifacts are kept. Further values come with a storage driver in `Host__Extensions`.",
  },
  Storage__Path: {
    kind: { type: "folder" },
    otherwise: "`packages` under `Host__DataPath`",
    about: "Folder of file-backed storage.",
  },
  Storage__RedirectDownloads: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Redirects downloads to presigned URLs of an object store. Clients must reach the store " +
      "under another host name than the registry.",
  },
} as const satisfies SettingsTable;
