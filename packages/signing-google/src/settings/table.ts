import { certificateSettings } from "@sealhouse/repo-signing";
import type { SettingsTable } from "@sealhouse/settings";

/** Settings of a key in Cloud KMS, by name. */
const KEY = {
  ProjectId: { kind: { type: "text" }, required: true, about: "Project that the key belongs to." },
  Location: {
    kind: { type: "text" },
    required: true,
    about: "Location of the key ring, such as `europe-west1`.",
  },
  KeyRing: { kind: { type: "text" }, required: true, about: "Name of the key ring." },
  KeyName: { kind: { type: "text" }, required: true, about: "Name of the key in the key ring." },
  KeyVersion: {
    kind: { type: "text" },
    otherwise: "newest enabled version that signs with RSA",
    about: "Number of the key version.",
  },
  ServiceAccountKeyPath: {
    kind: { type: "path" },
    otherwise: "application default credentials",
    about: "JSON file with the key of a service account.",
  },
  ServiceAccountKeyPathConfigurationKey: {
    kind: { type: "text" },
    about: "Name of the setting or environment variable that holds that path; goes before it.",
  },
  ServiceUrl: {
    kind: { type: "url" },
    otherwise: "`https://cloudkms.googleapis.com`",
    about:
      "Address of a private endpoint of Cloud KMS; no credentials are sent to an http address.",
  },
  Transport: {
    kind: { type: "choice", values: ["Grpc", "Rest"] },
    fallback: "Grpc",
    about: "`Rest` where a proxy on the way does not let gRPC through.",
  },
} as const satisfies SettingsTable;

type KeySettings<Section extends string> = {
  readonly [Name in keyof typeof KEY as `${Section}__${Name}`]: (typeof KEY)[Name];
};

function keySettings<const Section extends string>(section: Section): KeySettings<Section> {
  const entries = Object.entries(KEY).map(
    ([name, setting]) => [`${section}__${name}`, setting] as const,
  );
  return Object.fromEntries(entries) as KeySettings<Section>;
}

/** Settings of the signing mode `GcpKms`. */
export const GCP_KMS_SETTINGS = {
  ...keySettings("Signing__GcpKms"),
  ...certificateSettings("Signing__GcpKms"),
  Signing__GcpKms__ProtectionLevel: {
    kind: { type: "choice", values: ["Software", "Hsm"] },
    fallback: "Hsm",
    about: "Protection level that the key version must have.",
  },
} as const satisfies SettingsTable;

/** Settings of the signing mode `GcpHsm`. */
export const GCP_HSM_SETTINGS = {
  ...keySettings("Signing__GcpHsm"),
  ...certificateSettings("Signing__GcpHsm"),
  Signing__GcpHsm__ClusterName: {
    kind: { type: "text" },
    required: true,
    about: "Name of the single-tenant HSM instance that the key must live in.",
  },
} as const satisfies SettingsTable;
