import { z } from "zod";
import { defineAction } from "../action.ts";

const key = defineAction({
  id: "bundles.key",
  summary: "print the public key that verifies the bundles of this registry",
  scope: "settings:read",
  method: "GET",
  path: "/bundles/key",
  command: "bundle key",
  form: { none: "It only reads." },
  input: z.strictObject({}),
  output: z.strictObject({ publicKey: z.string().describe("PEM.") }),
  refusals: [],
  async run({ parts }) {
    const { bundleKeyOf, publicKeyOf } = await import("@sealhouse/upstream-sources/bundle");
    // A rotation of the key ring does not change it.
    const secret = (await parts.signing()).keyRing.derive("bundle/signing-key");
    return { publicKey: publicKeyOf(bundleKeyOf(secret)) };
  },
});

/** Packages and images in one file, for another registry. */
export const BUNDLE_ACTIONS = [key];
