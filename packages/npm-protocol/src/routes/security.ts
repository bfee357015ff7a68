import { readBody } from "@sealhouse/http-responses";
import { auditReport } from "../advisories/audit-report.ts";
import { bulkAnswer, findMatches, readInventory } from "../advisories/bulk.ts";
import { readLockTree } from "../advisories/lock-tree.ts";
import { NpmError } from "../errors.ts";
import type { Call } from "./call.ts";
import { admit, json } from "./call.ts";

/** Both before and after it is unpacked. A lock file of 5,000 packages makes some 200 KiB. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Each takes some hundred bytes of memory, however few it is written with. */
const VALUES_MAX = 1_000_000;
const [COMMA, BRACE, BRACKET] = [44, 123, 91];

/** `/-/npm/v1/security/advisories/bulk`. npm asks with every install, and goes on without a word
 * only when it gets an answer. Advisories are public, so they are told of any name. */
export async function tellAdvisories(call: Call): Promise<Response> {
  await admit(call, { action: "read" });
  const asked = readInventory(await readJson(call));
  return json(call, bulkAnswer(await findMatches(call.ports.advisories, asked)));
}

/** `/-/npm/v1/security/audits` and `…/audits/quick`, of clients that send their whole tree. */
export async function auditTree(call: Call): Promise<Response> {
  await admit(call, { action: "read" });
  const tree = readLockTree(await readJson(call));
  return json(call, auditReport(tree, await findMatches(call.ports.advisories, tree.asked)));
}

async function readJson({ c }: Call): Promise<unknown> {
  const bytes = await readBody(c, BODY_BYTES_MAX, { inflate: true });
  let values = 0;
  for (const byte of bytes) {
    if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  }
  if (values > VALUES_MAX) {
    throw new NpmError("too-large", `The body has more than ${VALUES_MAX} values.`);
  }
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new NpmError("document-invalid", "The body is no JSON.", { cause: error });
  }
}
