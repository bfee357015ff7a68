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
const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Most that an inventory within its limits has: one list for each package, a comma after each
 * package and each version. */
const INVENTORY_VALUES_MAX = 1 + 2 * INVENTORY_LIMITS.packages + INVENTORY_LIMITS.versions;
const TREE_VALUES_MAX = 1_000_000;
/** Memory of a parsed value, however few bytes it is written with. */
const VALUE_BYTES = 100;
const [COMMA, BRACE, BRACKET] = [44, 123, 91];

/**
 * `/-/npm/v1/security/advisories/bulk`. npm sends it with every install, and continues silently
 * only after an answer. Advisories are public, so the answer covers any name.
 */
export async function printAdvisories(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  using memory = call.auditMemory.open();
  const inventory = readInventory(
    await readValue(call, { valuesMax: INVENTORY_VALUES_MAX, memory }),
  );
  return json(call, bulkAnswer(await findMatches(call.ports, inventory)));
}

/** `/-/npm/v1/security/audits` and `…/audits/quick`, of clients that send their whole tree. */
export async function auditTree(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  using memory = call.auditMemory.open();
  const tree = readLockTree(await readValue(call, { valuesMax: TREE_VALUES_MAX, memory }));
  return json(call, auditReport(tree, await findMatches(call.ports, tree.inventory)));
}

type Limits = { readonly valuesMax: number; readonly memory: AuditReservation };

async function readValue({ c }: Call, limits: Limits): Promise<unknown> {
  requireJson(c);
  const body = requestBody(c, { maxBytes: BODY_BYTES_MAX, inflate: true });
  const bytes = Buffer.concat(await Array.fromAsync(withFewValues(body, limits)));
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new NpmError("document-invalid", "The body is not JSON.", { cause: error });
  }
}

/** Ends a body at the first excess: the rest is neither received nor inflated, and nothing of it is
 * parsed. Names and versions have none of the signs that are counted. */
async function* withFewValues(
  body: AsyncIterable<Uint8Array>,
  { valuesMax, memory }: Limits,
): AsyncGenerator<Uint8Array> {
  let values = 0;
  for await (const chunk of body) {
    const before = values;
    for (const byte of chunk) {
      if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
    }
    memory.add(chunk.length + (values - before) * VALUE_BYTES);
    if (values > valuesMax) {
      throw new NpmError("too-large", `An audit takes a body of at most ${valuesMax} values.`);
    }
    yield chunk;
  }
}
