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
import { absent, conflict, invalidField, invalidFields, RefusedActionError } from "../refusal.ts";
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
  if (input.replace !== true && (await promotion.targets.find(name))) {
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

/**
 * Stores another token of a target.
 *
 * @throws RefusedActionError
 */
export async function replaceToken({
  input,
  parts,
  caller,
}: Asked<TokenInput>): Promise<PublishTarget> {
  const { targets } = await parts.promotion();
  const target = await targets.find(input.name);
  if (!target) throw absent(`There is no target "${input.name}": sealhouse target list`);
  if (target.credentials?.type === "lent") {
    throw conflict(`${target.name} stores no token: each release brings its own.`);
  }
  const { expiresAt: _, credentials: before, ...rest } = target;
  const known = before?.type === "basic" ? before.username : undefined;
  const { protocol } = target;
  const username = input.username ?? known;
  const credentials = credentialsIn({ ...input, protocol, username, lend: undefined });
  const expiresAt = expiryIn(input);
  const replaced = {
    ...rest,
    ...(credentials && { credentials }),
    ...(expiresAt && { expiresAt }),
    hasLostCredentials: false,
  };
  await targets.put(replaced, caller);
  return replaced;
}

type TokenInput = Pick<TargetInput, "name" | "username" | "expires"> & { readonly token: string };

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
}: Pick<TargetInput, "protocol" | "token" | "username" | "lend">): TargetCredentials | undefined {
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

function expiryIn({ expires }: Pick<TargetInput, "expires">): Date | undefined {
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
