import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { flag } from "../promotion/fields.ts";
import { conflict } from "../refusal.ts";
import type { UpkeepSettings } from "./parts.ts";
import { counted } from "./rows.ts";
import { SIGNED } from "./signed-images.ts";

const COMMON = { scope: "signing:write", form: { page: "/administration/actions" } } as const;

const sign = defineAction({
  ...COMMON,
  id: "images.sign",
  summary:
    "sign images without a signature of the current key: team/app:1.0, team/app@sha256:…, or " +
    "team/app for all its tags",
  method: "POST",
  path: "/images/signatures",
  command: "oci sign [images...]",
  input: z.strictObject({
    images: field(
      z.array(z.string().max(500)).max(1_000).optional(),
      "Images",
      "team/app:1.0, team/app@sha256:…, or team/app for all its tags.",
      { example: ["team/app:1.0"] },
    ),
    all: flag("All", "Sign all tags of all repositories."),
  }),
  output: SIGNED,
  refusals: ["absent", "conflict", "invalid"],
  lasting: "change-packages",
  hasDryRun: true,
  isLong: true,
  hasLongDryRun: true,
  ending: ({ sealed }) => ({
    title: "Sign images?",
    ends: [`${counted(sealed, "image")} without a signature of the current key.`],
    button: "Sign the images",
  }),
  async run({ input: { images = [], all }, parts: { upkeep }, ...asked }) {
    const seal = enabledSeal(upkeep.settings());
    if (!all && images.length === 0) {
      throw conflict("Name images, such as team/app:1.0, or use --all.");
    }
    const { signImages } = await import("./sign-images.ts");
    return signImages(await upkeep.sealing(seal), all ? "all" : images, asked);
  },
});

const KEYS = z.strictObject({
  key: z.string().describe("The public key for `cosign verify --key`, in PEM."),
  certificate: z.string().describe("The root certificate for the trust store of notation, in PEM."),
});

/** The public keys of the signatures of images, as the API and commands show them. */
export type ShownSealKeys = z.output<typeof KEYS>;

const showKeys = defineAction({
  ...COMMON,
  id: "images.keys",
  summary: "show the public key and the certificate that verify images",
  method: "GET",
  path: "/images/keys",
  command: [
    {
      words: "oci key",
      summary: "print the public key for cosign verify --key",
      sets: {},
      print: "images.key",
    },
    {
      words: "oci certificate",
      summary: "print the root certificate for the trust store of notation",
      sets: {},
      print: "images.certificate",
    },
    { words: "oci keys", summary: "print both", sets: {} },
  ],
  input: z.strictObject({}),
  output: KEYS,
  refusals: ["conflict"],
  async run({ parts: { upkeep } }) {
    const { cosignPublicKey, notationRoot } = await import("@sealhouse/oci-distribution/seal");
    const { keys } = await upkeep.sealing(enabledSeal(upkeep.settings()));
    return { key: await cosignPublicKey(keys), certificate: await notationRoot(keys) };
  },
});

/** Signatures of images. */
export const SIGNATURE_ACTIONS = [sign, showKeys];

function enabledSeal({ ociSeal }: UpkeepSettings) {
  if (ociSeal) return ociSeal;
  throw conflict("Signing of images is disabled: set Signing__Oci__Enabled=true.");
}
