import type { Protocol } from "@sealhouse/request-types";
import { CommandError } from "../command.ts";

const PROTOCOLS = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

/** @throws {CommandError} */
export function protocolIn(text: string): Protocol {
  const protocol = PROTOCOLS.find((one) => one === text.toLowerCase());
  if (protocol) return protocol;
  throw new CommandError(`"${text}" is not a protocol. Use nuget, npm or oci.`);
}
