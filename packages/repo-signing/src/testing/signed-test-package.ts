import { packageBytesOf } from "../archive/package-bytes.ts";
import { digest } from "../hash.ts";
import type { Signer } from "../ports.ts";
import { signPackage } from "../sign/sign-package.ts";
import { spliced } from "../splice/splice-plan.ts";
import { bytesOf } from "./sign-as-author.ts";
import { buildTestPackage } from "./test-package.ts";

/** A package, signed as a feed signs what is pushed. */
export async function signedTestPackage(signer: Signer): Promise<Buffer> {
  const bytes = buildTestPackage("Acme.Signed", "1.0.0");
  const file = packageBytesOf(bytes);
  const outcome = await signPackage({
    file,
    sha256: digest("SHA256", bytes).toString("hex"),
    signer,
    serviceIndexUrl: "https://feed.example/v3/index.json",
    now: new Date(),
    policy: "ReSign",
    moment: "upload",
  });
  if (outcome.status !== "sealed") throw new Error(JSON.stringify(outcome));
  return bytesOf(spliced(file, outcome.plan));
}
