import { randomBytes } from "node:crypto";
import { createToken, LOGIN_WAITS_MS, parseLoginCode } from "@sealhouse/identity";
import type { LoginDecision, LoginPurpose, LoginSession, TokenHolder } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Asked } from "../action.ts";
import { field } from "../field.ts";
import { flag, textField } from "../promotion/fields.ts";
import { absent, conflict } from "../refusal.ts";
import { EXPIRES, NETWORKS, PATTERNS } from "../tokens/token-actions.ts";
import type { TokenRows } from "../tokens/parts.ts";
import { checked, holderOf, isPowerful, newTokenOf } from "../tokens/token-settings.ts";

const CODE = textField(20, "Code", "The code that the client shows: BCDF-2345.");
const ASKED = {
  code: z.string(),
  address: z.string().optional().describe("The address of the client."),
  askedAt: z.iso.datetime(),
};

const COMMON = {
  scope: "tokens:write",
  method: "POST",
  form: { none: "People approve their own sign-ins at /sign-in." },
  lasting: "approve-login",
  refusals: ["absent", "conflict"],
} as const;

const INPUT = z.strictObject({
  code: CODE,
  name: field(z.string().max(200), "Name", "User name: alice.", { option: "--name <name>" }),
  operator: flag("Operators", "Allow a token of the operators, when the name is no user's."),
  scopes: field(
    z.string().max(400).default("read,write"),
    "Scopes",
    "read, stage, publish, write, delete, admin.",
    { option: "--scopes <list>" },
  ),
  expires: EXPIRES,
  protocols: field(
    z.string().max(100).default("npm"),
    "Protocols",
    "Limit to protocols: nuget, npm, oci.",
    { option: "--protocols <list>" },
  ),
  patterns: PATTERNS,
  networks: NETWORKS,
});

const APPROVED = z.strictObject({
  ...ASKED,
  name: z.string(),
  scopes: z.array(z.string()),
  patterns: z.array(z.string()),
  networks: z.array(z.string()),
  expiresAt: z.iso.datetime().optional().describe("Absent: never."),
  isOfOperators: z.boolean().describe("The token has the rights of the operators."),
});

/** A sign-in that was approved. The client collects the token. */
export type ApprovedLogin = z.output<typeof APPROVED>;

const approve = defineAction({
  ...COMMON,
  id: "npm.login",
  summary: "approve a sign-in by its code",
  path: "/npm/sign-ins/{code}/approve",
  command: "npm login <code>",
  input: INPUT,
  output: APPROVED,
  async needsAdmin(input, parts) {
    const { token } = await grantedBy(input, { parts, now: new Date() });
    return isPowerful(await parts.rows(), token);
  },
  async run({ input, parts, caller, now }) {
    const { code, operator: isAllowed = false } = input;
    const { token, isOfOperators } = await grantedBy(input, { parts, now });
    if (isOfOperators && parts.hasProvider() && !isAllowed)
      throw conflict(operatorToken(token.owner));
    const grant = { by: caller, token };
    const decision = { status: "agreed", grant, until: end(now) } as const;
    const session = await decide({ parts, now }, { code, purpose: "login", decision });
    const { owner: name, scopes, patterns, networks, expiresAt } = token;
    return {
      code,
      name,
      scopes: [...scopes],
      patterns: [...patterns],
      networks: [...networks],
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      isOfOperators,
      ...askedFrom(session),
    };
  },
});

const CONFIRMED = z.strictObject({ ...ASKED, subject: z.string() });

/** An action that was confirmed. */
export type ConfirmedLogin = z.output<typeof CONFIRMED>;

const confirm = defineAction({
  ...COMMON,
  id: "npm.confirm",
  summary: "approve an action that waits for a one-time password",
  path: "/npm/sign-ins/{code}/confirm",
  command: "npm confirm <code>",
  input: z.strictObject({ code: CODE }),
  output: CONFIRMED,
  // It does what another token may do.
  needsAdmin: () => true,
  async run({ input: { code }, parts, caller, now }) {
    const decision = { status: "agreed", grant: { by: caller }, until: end(now) } as const;
    const session = await decide({ parts, now }, { code, purpose: "confirm", decision });
    return { code, subject: session.subject ?? "", ...askedFrom(session) };
  },
});

const DENIED = z.strictObject({
  ...ASKED,
  purpose: z.enum(["login", "confirm"]),
  subject: z.string().optional(),
});

/** A sign-in or an action that was denied. */
export type DeniedLogin = z.output<typeof DENIED>;

const deny = defineAction({
  ...COMMON,
  id: "npm.deny",
  summary: "deny a sign-in or an action",
  path: "/npm/sign-ins/{code}/deny",
  command: "npm deny <code>",
  input: z.strictObject({ code: CODE }),
  output: DENIED,
  async run({ input: { code }, parts, caller, now }) {
    const decision = { status: "denied", by: caller } as const;
    const session = await decide({ parts, now }, { code, decision });
    const { purpose, subject } = session;
    return { code, purpose, ...(subject !== undefined && { subject }), ...askedFrom(session) };
  },
});

/** Sign-ins of npm clients, and actions that wait for a confirmation. */
export const LOGIN_ACTIONS = [approve, confirm, deny];

async function decide(
  { parts, now }: Pick<Asked<unknown>, "parts" | "now">,
  {
    code: typed,
    purpose,
    decision,
  }: {
    readonly code: string;
    /** Absent: any. */
    readonly purpose?: LoginPurpose;
    readonly decision: LoginDecision;
  },
): Promise<LoginSession> {
  const code = parseLoginCode(typed);
  if (code === undefined) {
    const words = `${typed} is not a sign-in code. Codes look like BCDF-2345.`;
    throw absent(words);
  }
  const { loginSessions } = await parts.rows();
  const session = await loginSessions.findByCode(code);
  if (!session) throw absent(`No sign-in waits with the code ${code}; it may have expired.`);
  if (purpose !== undefined && session.purpose !== purpose) {
    const other = session.purpose === "login" ? `login ${code} --name <name>` : `confirm ${code}`;
    throw conflict(`${code} is for something else: sealhouse npm ${other}`);
  }
  const outcome = await loginSessions.decide(code, decision, now);
  if (outcome === "decided") return session;
  throw conflict(`${code} was decided on before, or its time is over.`);
}

/** The token that the client gets, and whether it belongs to the operators. */
async function grantedBy(
  input: z.output<typeof INPUT>,
  { parts, now }: Pick<Asked<unknown>, "parts" | "now">,
) {
  const wanted = newTokenOf(input, now);
  const { expiresAt } = wanted;
  // Refuses a wrong value now, rather than when the client comes for the token.
  const { record } = checked(() => createToken(wanted, { pepper: "", now, random: randomBytes }));
  const rows = await parts.rows();
  const holder = await holderNamed(rows, record.name, wanted.scopes);
  const { scopes, protocols, patterns, networks } = record;
  const limits = { scopes, protocols, patterns, networks, ...(expiresAt && { expiresAt }) };
  const token = { ...limits, owner: record.name, name: "npm login", ...holder };
  return { token, isOfOperators: holder.owner === undefined };
}

/** The user or service account with a name. Without one, the token belongs to the operators. */
async function holderNamed(
  rows: TokenRows,
  name: string,
  scopes: Parameters<typeof holderOf>[2],
): Promise<TokenHolder> {
  const isUser = (await rows.people.find(name)) !== undefined;
  const isAccount = !isUser && (await rows.serviceAccounts.find(name)) !== undefined;
  return holderOf(rows, isUser ? { user: name } : isAccount ? { account: name } : {}, scopes);
}

function operatorToken(name: string): string {
  return (
    `${name} is no user or service account. Without one, the token has the rights of the ` +
    "operators: all names within its limits, also those of owners. To make such a token, add " +
    "--operator. To see the users: sealhouse user list"
  );
}

function end(now: Date): Date {
  return new Date(now.getTime() + LOGIN_WAITS_MS);
}

function askedFrom({ address, createdAt }: LoginSession) {
  return { ...(address !== undefined && { address }), askedAt: createdAt.toISOString() };
}
