import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the storage types `Gcs` and `GoogleCloudStorage`. */
export const GOOGLE_CLOUD_SETTINGS = {
  Storage__Bucket: {
    kind: { type: "text" },
    otherwise: "the bucket of the connection string",
    about: "Name of the bucket. It must exist.",
  },
  Storage__Prefix: {
    kind: { type: "text" },
    about: "Folder of all objects in the bucket, such as `feeds/acme`.",
  },
  Storage__CredentialsPath: {
    kind: { type: "path" },
    otherwise: "application default credentials",
    about: "JSON file with the credentials of a service account or a workload identity.",
  },
  Storage__ConnectionString: {
    kind: { type: "text" },
    secret: true,
    about:
      "`gs://bucket?prefix=…&credentialsPath=…&emulatorHost=…` instead of the settings of the " +
      "same names.",
  },
  Storage__ConnectionStringName: {
    kind: { type: "text" },
    about:
      "Name of the connection string in `ConnectionStrings__{name}`, or of an environment " +
      "variable; used when `Storage__ConnectionString` is not set.",
  },
  Storage__UseEmulator: {
    kind: { type: "boolean" },
    otherwise: "true when `Storage__EmulatorHost` is set",
    about: "Sends all requests to an emulator, without credentials.",
  },
  Storage__EmulatorHost: {
    kind: { type: "text" },
    otherwise: "`STORAGE_EMULATOR_HOST`, else `http://localhost:4443`",
    about: "Address of the emulator.",
  },
} as const satisfies SettingsTable;
