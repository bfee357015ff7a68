import { isAbsolute } from "node:path";
import { authoritiesProblems, createTarget, targetProblems } from "@sealhouse/promotion";
import type {
  PublishTarget,
  TargetCredentials,
  TargetOptions,
  TargetPart,
} from "@sealhouse/promotion";
import type { Asked } from "../action.ts";
import { realDate } from "../real-date.ts";
import { invalidField, invalidFields, RefusedActionError } from "../refusal.ts";
import { named } from "./fields.ts";
import type { TargetInput } from "./target-input.ts";

/** The field of each part of a target. */
const FIELDS: Readonly<Record<TargetPart, keyof TargetInput>> = {
  name: "name",
  endpoint: "endpoint",
  token: "token",
  username: "username",
  lend: "lend",
  "allowed-origin": "allowedOrigins",
  publish: "publish",
  "nuget-content": "nugetContent",
  "immutable-tags": "immutableTags",
  ca: "caPath",
};

/**
 * Adds a target, or replaces it with all its parts, so that a stored key never goes to another
 * address.
 *
 * @throws RefusedActionError
 */
export async function addTarget({
  input,
  parts,
  caller,
  signal,
}: Asked<TargetInput>): Promise<{ readonly added: PublishTarget; readonly warning?: string }> {
  const target = targetFrom(input);
  const { name } = target;
  const ownOrigins = await parts.ownOrigins();
  const found = [...targetProblems(target, { ownOrigins }), ...(await authoritiesProblems(target))];
  const problems = found.map(({ part, words }) => ({ field: FIELDS[part], words }));
  if (problems.length > 0) throw invalidFields(problems);
  const promotion = await parts.promotion();
  if (named(await promotion.targets.list(), name) && input.replace !== true) {
    throw new RefusedActionError(
      "exists",
      `There is a target "${name}" already. To replace it, add --replace.`,
    );
  }
  const reached = await promotion.reach(target, signal);
  if (reached.status === "refused") {
    throw reached.isPrivate
      ? invalidField("allowPrivateNetwork", `is not set, and ${reached.reason}`)
      : invalidField("endpoint", `must not be called: ${reached.reason}`);
  }
  await promotion.targets.put(target, caller);
  if (reached.status === "reachable") return { added: target };
  return { added: target, warning: `${name} does not answer: ${reached.reason}.` };
}

function targetFrom(input: TargetInput): PublishTarget {
  const { name, protocol, endpoint } = input;
  if (!URL.canParse(endpoint)) throw invalidField("endpoint", "must be an http or https URL.");
  return createTarget({
    name,
    protocol,
    endpoint,
    credentials: credentialsIn(input),
    expiresAt: expiryIn(input),
    options: optionsIn(input),
  });
}

function credentialsIn({
  protocol,
  token,
  username,
  lend,
}: TargetInput): TargetCredentials | undefined {
  if (lend !== undefined) {
    if (token !== undefined) throw invalidField("lend", "must be absent where a key is stored.");
    return { type: "lent", kind: lend, ...(username !== undefined && { username }) };
  }
  if (token === undefined) {
    if (username !== undefined) throw invalidField("username", "requires a token.");
    return undefined;
  }
  if (username !== undefined) return { type: "basic", username, password: token };
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw invalidField("token", "must have printable ASCII characters only, and no spaces.");
  }
  return protocol === "nuget" ? { type: "api-key", key: token } : { type: "bearer", token };
}

function expiryIn({ expires }: TargetInput): Date | undefined {
  if (expires === undefined) return undefined;
  const date = realDate(expires);
  if (date) return date;
  throw invalidField("expires", "must be a date, such as 2027-01-31.");
}

/** @throws RefusedActionError */
function optionsIn({
  nugetContent,
  publish,
  attestations,
  includeForeign,
  immutableTags,
  allowedOrigins,
  allowPrivateNetwork,
  caPath,
}: TargetInput): Partial<TargetOptions> {
  if (caPath !== undefined && !isAbsolute(caPath)) {
    throw invalidField("caPath", "must be an absolute path on the machine of the registry.");
  }
  const given = {
    nugetContent,
    publish,
    attestations,
    includeForeign,
    immutableTags,
    allowedOrigins,
    allowPrivateNetwork,
    caPath,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<TargetOptions>;
}
