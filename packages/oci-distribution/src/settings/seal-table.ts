import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the signatures of container images. */
export const OCI_SEAL_SETTINGS = {
  Signing__Oci__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Signs container images when they are tagged; the signatures are referrers of the image. " +
      "Needs no `Signing__Mode`: without one the registry's own P-256 key signs.",
  },
  Signing__Oci__Formats: {
    kind: {
      type: "list",
      of: { type: "choice", values: ["Cosign", "CosignBundle", "Notation"] },
    },
    otherwise: "`Cosign` and `Notation`",
    about:
      "How they are signed. `Cosign` is what every version of cosign reads; the bundle, which " +
      "cosign 3 prefers, is added by itself to images that somebody else signed with one.",
  },
  Signing__Oci__Platforms: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Signs each image of an index as well as the index.",
  },
} as const satisfies SettingsTable;
