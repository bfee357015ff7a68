import { spawn } from "node:child_process";
import type { Ran } from "../clients/client.ts";
import { environmentOf } from "./client-settings.ts";
import { commandOf } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";

/** When the words appear, this is done, or typed. Each once, in this order. */
export type Step = readonly [words: RegExp, then: string | ((capture: string) => Promise<unknown>)];

export type InteractionOptions = {
  /** As at a terminal, which takes the program `script`. */
  readonly terminal?: boolean;
  readonly timeoutMs?: number;
};

/** A prompt throws away what was typed before it had the terminal to itself; a person is slower. */
const TYPING_MS = 250;

/** Runs a client that prompts or waits for a person. `then` gets the first group of the match. */
export function interact(
  { name, home }: Pick<NpmClient, "name" | "home">,
  args: readonly string[],
  steps: readonly Step[],
  { terminal = false, timeoutMs = 60_000 }: InteractionOptions = {},
): Promise<Ran> {
  const words = [...(commandOf(name) ?? []), ...args];
  const [program = "", ...rest] = terminal ? inTerminal(words) : words;
  const env = { PATH: process.env["PATH"] ?? "", TERM: "xterm", ...environmentOf(name, home) };
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { cwd: home, env, timeout: timeoutMs });
    const waiting = [...steps];
    let [stdout, output, unseen] = ["", "", ""];
    const see = (text: string) => {
      output += text;
      unseen += text;
      const [step] = waiting;
      const match = step?.[0].exec(unseen);
      if (!step || !match) return;
      waiting.shift();
      unseen = unseen.slice(match.index + match[0].length);
      const [, then] = step;
      if (typeof then !== "string") then(match[1] ?? "").catch(reject);
      else if (!terminal) child.stdin.write(`${then}\n`);
      else setTimeout(() => child.stdin.write(`${then}\r`), TYPING_MS);
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      see(text);
    });
    child.stderr.setEncoding("utf8").on("data", see);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, output }));
  });
}

function inTerminal(words: readonly string[]): readonly string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  return ["script", "--quiet", "--return", "--command", line, "/dev/null"];
}
