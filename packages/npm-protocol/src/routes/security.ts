import { requestBody } from "@sealhouse/http-responses";
import type { AuditReservation } from "../advisories/audit-memory.ts";
import { auditReport } from "../advisories/audit-report.ts";
import { bulkAnswer, findMatches, INVENTORY_LIMITS, readInventory } from "../advisories/bulk.ts";
import { readLockTree } from "../advisories/lock-tree.ts";
import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";
import { authorizeCall, json } from "./call.ts";
import { requireJson } from "./json-body.ts";

/** Both before and after it is unpacked. A lock file of 5,000 packages makes some 200 KiB. */
const INVENTORY_BYTES_MAX = 2 * 1024 * 1024;
/** A tree of 5,000 packages with hashes makes some 2 MiB. */
const TREE_BYTES_MAX = 4 * 1024 * 1024;
/** Most that an inventory within its limits has: one list for each package, a comma after each
 * package and each version. */
const INVENTORY_VALUES_MAX = 1 + 2 * INVENTORY_LIMITS.packages + INVENTORY_LIMITS.versions;
const TREE_VALUES_MAX = 100_000;
const [COMMA, BRACE, BRACKET] = [44, 123, 91];
/** An inventory has a list for each package; a tree has one or two objects. */
const INVENTORY_PARTS = { sign: BRACKET, most: INVENTORY_LIMITS.packages, name: "packages" };
const TREE_PARTS = { sign: BRACE, most: 20_000, name: "objects" };
/** Memory of a parsed value, however few bytes it is written with. */
const VALUE_BYTES = 100;
/** Bytes of a body that cost as much work as one of its values. */
const BYTES_OF_VALUE = 100;

/**
 * `/-/npm/v1/security/advisories/bulk`. npm sends it with every install, and continues silently
 * only after an answer. Advisories are public, so the answer covers any name.
 */
export async function printAdvisories(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  using memory = call.auditMemory.open();
  const inventory = readInventory(
    await readValue(call, {
      bytesMax: INVENTORY_BYTES_MAX,
      valuesMax: INVENTORY_VALUES_MAX,
      parts: INVENTORY_PARTS,
      memory,
    }),
  );
  return json(call, bulkAnswer(await findMatches(call.ports, inventory)));
}

/** `/-/npm/v1/security/audits` and `…/audits/quick`, of clients that send their whole tree. */
export async function auditTree(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  using memory = call.auditMemory.open();
  const limits = {
    bytesMax: TREE_BYTES_MAX,
    valuesMax: TREE_VALUES_MAX,
    parts: TREE_PARTS,
    memory,
  };
  const tree = readLockTree(await readValue(call, limits));
  return json(call, auditReport(tree, await findMatches(call.ports, tree.inventory)));
}

type Limits = {
  readonly bytesMax: number;
  readonly valuesMax: number;
  /** The sign that begins a part, the most parts of a body, and their name. */
  readonly parts: { readonly sign: number; readonly most: number; readonly name: string };
  readonly memory: AuditReservation;
};

/** The network's share of the work is taken after the body is counted and before it is parsed. */
async function readValue(call: Call, limits: Limits): Promise<unknown> {
  const { c } = call;
  requireJson(c);
  await requireShare(call, 0);
  const body = requestBody(c, { maxBytes: limits.bytesMax, inflate: true });
  const counted = { values: 0, parts: 0 };
  const bytes = Buffer.concat(await Array.fromAsync(withFewValues(body, limits, counted)));
  await requireShare(call, counted.values + bytes.length / BYTES_OF_VALUE);
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new NpmError("document-invalid", "The body is not JSON.", { cause: error });
  }
}

async function requireShare({ c, ports }: Call, values: number): Promise<void> {
  const seconds = await ports.limitAudits?.(c.req.raw, c.env, values);
  if (seconds === undefined) return;
  const text = "Your network has sent many audits. Try again in a minute.";
  throw new NpmError("limited", text, { headers: { "retry-after": String(seconds) } });
}

/** Ends a body at the first excess: the rest is neither received nor inflated, and nothing of it is
 * parsed. Names and versions have none of the signs that are counted. */
async function* withFewValues(
  body: AsyncIterable<Uint8Array>,
  { valuesMax, parts, memory }: Limits,
  counted: { values: number; parts: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    let values = 0;
    for (const byte of chunk) {
      if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
      if (byte === parts.sign) counted.parts += 1;
    }
    memory.add(chunk.length + values * VALUE_BYTES);
    counted.values += values;
    if (counted.values > valuesMax) {
      throw new NpmError("too-large", `An audit takes a body of at most ${valuesMax} values.`);
    }
    if (counted.parts > parts.most) {
      const limit = `${parts.most} ${parts.name}`;
      throw new NpmError("too-large", `An audit is answered for up to ${limit} at a time.`);
    }
    yield chunk;
  }
}
