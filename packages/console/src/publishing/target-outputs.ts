import type { TestedTarget } from "@sealhouse/administration";
import { html } from "hono/html";
import { pathWith } from "../actions/screen.ts";
import type { OutputPage } from "../actions/screens-app.ts";
import { administrationPage, TARGETS } from "../administration/administration-page.ts";
import { badge } from "../kit/elements/badges.ts";
import { clipped } from "../kit/elements/format.ts";

const WORDS_MAX = 600;
const STEPS: Readonly<Record<string, string>> = {
  name: "Name",
  connection: "Connection",
  certificate: "Certificate",
  credentials: "Credentials and document",
};
const OUTCOMES: Readonly<Record<string, readonly [string, "kind" | "bad" | "warn"]>> = {
  works: ["Works", "kind"],
  ready: ["Works", "kind"],
  unproven: ["Not proven", "warn"],
};

/** Shows each step of a test. The answers are texts of another host. */
export const testedTarget: OutputPage = (administrator, { output }) => {
  const { target, steps = [], packages = [] } = output as TestedTarget;
  const item = (name: string, outcome: string, words: string) => {
    const [text, tone] = OUTCOMES[outcome] ?? (["Failed", "bad"] as const);
    return html`<li>
      <strong>${name}</strong> ${badge(text, tone)}
      <span class="said">${clipped(words, WORDS_MAX)}</span>
    </li>`;
  };
  const path = pathWith(`${TARGETS}/{target}`, { target });
  const body = html`<section class="card" role="status" aria-label="Result of the test">
    <ol>
      ${steps.map(({ step, outcome, words }) => item(STEPS[step] ?? step, outcome, words))}
      ${packages.map(({ member, status, words }) => item(member, status, words))}
    </ol>
    <p>Nothing was published.</p>
    <p class="buttons"><a href="${administrator.address.root}${path}">Back to the target</a></p>
  </section>`;
  return administrationPage(administrator, { title: `Test of ${target}`, section: TARGETS, body });
};
