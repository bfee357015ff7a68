import type { Reachability } from "@sealhouse/http-responses/outgoing";
import { z } from "zod";

export const STEP = z
  .strictObject({
    step: z.enum(["name", "connection", "certificate", "credentials"]),
    outcome: z.enum(["works", "unproven", "failed"]),
    words: z.string(),
  })
  .meta({ id: "TestStep", title: "A step of a test of another registry" });

/** A step of a test of another registry. */
export type ShownStep = z.output<typeof STEP>;

const NAME = /ENOTFOUND|EAI_AGAIN|EAI_NODATA|getaddrinfo/;
const CERTIFICATE = /certificate|CERT_|self.signed|SSL|TLS|unable to verify/i;

/** The steps of the first call to a registry, until the one that failed. */
export function stepsOf(url: URL, reached: Reachability): readonly ShownStep[] {
  const names = ["name", "connection", ...(url.protocol === "https:" ? ["certificate"] : [])];
  const failedAt = reached.status === "reachable" ? names.length : failedStep(names, reached);
  return names.slice(0, failedAt + 1).map((name, at) => {
    const isFailed = at === failedAt && "reason" in reached;
    const step = STEP.shape.step.parse(name);
    if (isFailed) return { step, outcome: "failed", words: `${reached.reason}.` };
    return { step, outcome: "works", words: WORDS[step](url) };
  });
}

const WORDS: Readonly<Record<ShownStep["step"], (url: URL) => string>> = {
  name: ({ hostname }) => `${hostname} has an address that this registry may call.`,
  connection: ({ host }) => `${host} answers.`,
  certificate: ({ hostname }) => `The certificate of ${hostname} is trusted.`,
  credentials: () => "",
};

function failedStep(
  names: readonly string[],
  { status, reason }: { status: string; reason: string },
) {
  if (status === "refused" || NAME.test(reason)) return 0;
  return CERTIFICATE.test(reason) ? names.length - 1 : 1;
}
