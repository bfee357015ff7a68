import type { Socket } from "node:net";
import type { ActionRefusal, RefusedField } from "@sealhouse/administration";

// A command and the host of its data folder exchange lines of JSON on a Unix socket. The command
// introduces itself, and calls actions when the host has the same version and settings.

/** Facts that a command and the host that does its actions have in common. */
export type Introduction = {
  readonly version: string;
  /** Differs when a setting differs; reveals none. */
  readonly settings: string;
};

/** The answer to an introduction. */
export type Welcome = {
  readonly welcome: "same" | "other-settings" | "other-version";
  readonly version: string;
};

/** A call of an action. */
export type HostCall = {
  readonly action: string;
  readonly input: Record<string, unknown>;
  /** Undefined: the settings decide. */
  readonly isDryRun: boolean | undefined;
  /** Who is at the command line, for the audit log. */
  readonly actor: string;
};

/** Answers to a call: any number of reports, and one end. */
export type HostReply =
  | { readonly report: string }
  | { readonly output: unknown }
  | {
      readonly refused: ActionRefusal;
      readonly message: string;
      readonly problems: readonly RefusedField[];
    }
  | { readonly failed: string; readonly code: string | undefined };

/** Longer than any input. */
const LINE_MAX = 1024 * 1024;

/** Passes on each line that arrives. Without `max`, lines may have any length. */
export function onLines(socket: Socket, take: (line: string) => void, max = LINE_MAX): void {
  let parts: string[] = [];
  let size = 0;
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const [first = "", ...rest] = chunk.split("\n");
    size += first.length;
    if (size > max) return void socket.destroy();
    parts.push(first);
    for (const next of rest) {
      take(parts.join(""));
      parts = [next];
      size = next.length;
    }
  });
}

export function writeLine(socket: Socket, value: Introduction | Welcome | HostCall | HostReply) {
  socket.write(`${JSON.stringify(value)}\n`);
}

/** Parses a line. Of one that is not an object, no field is known. */
export function parsedLine<Line extends Introduction | Welcome | HostCall>(
  line: string,
): Partial<Line> {
  try {
    return Object(JSON.parse(line)) as Partial<Line>;
  } catch {
    return {};
  }
}
