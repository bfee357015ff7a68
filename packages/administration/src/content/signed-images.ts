import { z } from "zod";
import { MORE } from "./rows.ts";

export const SIGNED = z
  .strictObject({
    sealed: z.int().describe("Images that got a signature; in a dry run, that lack one."),
    there: z.int().describe("Images that had all their signatures."),
    failed: z.int(),
    dryRun: z.literal(true).optional(),
    images: z.array(z.string()).describe("The images that were signed."),
    failures: z.array(z.strictObject({ image: z.string(), reason: z.string() })),
    more: MORE,
  })
  .meta({ id: "SignedImages", title: "The signing of images" });

/** The signing of images as the API and commands show it. */
export type ShownSigning = z.output<typeof SIGNED>;
