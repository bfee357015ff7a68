import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SigningExtension } from "@sealhouse/repo-signing";
import { SigningError } from "@sealhouse/repo-signing";
import { createTestSigner } from "@sealhouse/repo-signing/testing";

// A stand-in for a key service, in the process of the host and in files of the test's folder: the
// file `out` makes it fail, `locked` makes it fail until an operator acts, and `signatures` gets a
// line for every signature. `notAfter` sets the end of its certificate.

const DAY_MS = 24 * 60 * 60 * 1000;

export const extension = {
  name: "stand-in",
  signingModes: {
    StandIn: {
      settings: {
        Signing__StandIn__Folder: {
          kind: { type: "path" },
          required: true,
          about: "Where the test tells it what to do.",
        },
        Signing__StandIn__TriesKey: {
          kind: { type: "boolean" },
          about: "Whether the key has to be there when the mode is opened.",
        },
      },
      async open({ values, now }) {
        const folder = values["Signing__StandIn__Folder"] ?? "";
        // All who open it on one day have the same certificate.
        const today = new Date(Math.floor(now().getTime() / DAY_MS) * DAY_MS);
        const validityInDays = validityOf(folder, today);
        const signer = await createTestSigner({ now: today, validityInDays });
        if (values["Signing__StandIn__TriesKey"] === "true") failIn(folder);
        return {
          chain: signer.chain,
          hash: signer.hash,
          async sign(data) {
            failIn(folder);
            appendFileSync(join(folder, "signatures"), "one\n");
            return signer.sign(data);
          },
        };
      },
    },
  },
} satisfies SigningExtension;

function failIn(folder: string): void {
  if (existsSync(join(folder, "out"))) throw new Error("the key service is out");
  if (existsSync(join(folder, "locked"))) {
    throw new SigningError("signer", "The key is locked.", { remedy: "service" });
  }
}

/** In days from the day before, which is when a test certificate begins. */
function validityOf(folder: string, today: Date): number {
  const path = join(folder, "notAfter");
  if (!existsSync(path)) return 365;
  const notAfter = new Date(readFileSync(path, "utf8"));
  return 1 + (notAfter.getTime() - today.getTime()) / DAY_MS;
}
