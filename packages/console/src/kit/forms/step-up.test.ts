import { openRequestDecisions } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { exampleSite } from "../../testing/example-packages.ts";
import { askConfirmation } from "../../sign-in/confirmation.ts";
import { parsePublicAddress } from "../page/public-address.ts";
import { confirmedRequest } from "./confirmed-forms.ts";
import { withStepUp } from "./step-up.ts";

const HOME = "https://registry.example";
const PATH = "/administration/package-sources/npmjs/remove";
const FIELDS = "proof=p&reason=old";
const FORM = {
  action: "change-sources",
  subject: "remove npmjs",
  backPath: "/administration",
  path: PATH,
  fields: FIELDS,
} as const;

/** Sends a form of a session, perhaps again after its confirmation, to a change that needs one. */
async function send(form: { readonly confirmed?: typeof FORM }, subject: string) {
  const sent = new Request(HOME + PATH, { method: "POST" });
  const request = form.confirmed ? confirmedRequest(sent, form.confirmed) : sent;
  const address = parsePublicAddress(HOME);
  if (!address) throw new Error(HOME);
  const origin = { id: "r", decisions: openRequestDecisions() };
  const waiting: unknown[] = [];
  const confirm = askConfirmation({
    sessionOf: () => ({ hash: "h" }) as never,
    confirmations: {
      ask: async (_: unknown, kept: unknown) => (waiting.push(kept), "id"),
    } as never,
    pageSessions: {
      load: async () => undefined,
      confirm: ({ decisions }) => void (decisions.isConfirmed = true),
    },
    rules: { contexts: { of: () => origin } } as never,
  });
  const { action, backPath } = FORM;
  const wanted = { action, subject, backPath, values: new URLSearchParams(FIELDS) };
  const shown = { site: exampleSite(), address, from: { request, env: undefined } };
  const again = async () =>
    origin.decisions.isConfirmed === true
      ? ({ status: "granted" } as const)
      : ({ status: "step-up" } as const);
  const answer = await withStepUp(shown, { wanted, confirm }, { first: await again(), again });
  const { status } = answer;
  return { status, waiting, isConfirmed: origin.decisions.isConfirmed === true };
}

test("a form of an unconfirmed session waits with its fields for its confirmation", async () => {
  const { action, subject, backPath, path, fields } = FORM;
  const kept = { action, subject, backPath, path, fields };
  expect(await send({}, subject)).toEqual({ status: 303, waiting: [kept], isConfirmed: false });
});

test("a confirmed form is granted, and waits for nothing", async () => {
  const answer = await send({ confirmed: FORM }, FORM.subject);
  expect(answer).toEqual({ status: "granted", waiting: [], isConfirmed: true });
});

test.each([
  ["another subject", FORM, "remove another"],
  ["another action", { ...FORM, action: "change-rules" } as unknown as typeof FORM, FORM.subject],
])("a form that was confirmed for %s is asked again", async (_, confirmed, subject) => {
  const { status, waiting, isConfirmed } = await send({ confirmed }, subject);
  expect([status, waiting.length, isConfirmed]).toEqual([303, 1, false]);
});

test("a session is refused where nothing can ask it for the confirmation", async () => {
  const address = parsePublicAddress(HOME);
  if (!address) throw new Error(HOME);
  const from = { request: new Request(HOME + PATH, { method: "POST" }), env: undefined };
  const shown = { site: exampleSite({ visitor: { name: "ada", path: "/" } }), address, from };
  const { action, subject, backPath } = FORM;
  const wanted = { action, subject, backPath, values: new URLSearchParams() };
  const change = { wanted, confirm: async () => undefined };
  const first = { status: "step-up" } as const;
  const answer = await withStepUp(shown, change, { first, again: async () => first });
  expect(answer).toBeInstanceOf(Response);
  expect(answer.status).toBe(403);
});
