import { readPolicy } from "@sealhouse/identity";
import type { NewPolicy, PolicyTexts, PolicyTextProblem, PolicyTrust } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Json } from "../command.ts";

export type PipelineOptions = Json &
  Omit<PolicyTexts, "names" | "mayCreate" | "fixedAudience"> & {
    readonly mayCreate?: true;
    readonly fixedAudience?: true;
    readonly for?: string;
  };

/**
 * Reads the policy that the options of a command describe.
 *
 * @throws CommandError
 */
export function policyIn(
  names: readonly string[],
  options: PipelineOptions,
  trust: PolicyTrust,
): NewPolicy {
  const outcome = readPolicy({ ...options, names }, trust);
  if (outcome.status === "read") return outcome.policy;
  throw new CommandError(outcome.problems.map(sentenceOf).join("\n"));
}

function sentenceOf({ field, words }: PolicyTextProblem): string {
  if (field === undefined) return words;
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${words}`;
}
