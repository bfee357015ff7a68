import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the signatures of container images. */
export const OCI_SEAL_SETTINGS = {
  Signing__Oci__Enabled: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Signs container images when they are tagged; the signatures are referrers of the image. " +
      "Works without `Signing__Mode`: the registry then signs with its own P-256 key.",
  },
  Signing__Oci__Formats: {
    kind: {
      type: "list",
      of: { type: "choice", values: ["Cosign", "CosignBundle", "Notation"] },
    },
    otherwise: "`Cosign` and `Notation`",
    about:
      "Signature formats. Every version of cosign reads `Cosign`; cosign 3 prefers the bundle. " +
      "The registry adds a bundle to images that already have one from another signer.",
  },
  Signing__Oci__Platforms: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Signs each image of an index as well as the index.",
  },
} as const satisfies SettingsTable;
