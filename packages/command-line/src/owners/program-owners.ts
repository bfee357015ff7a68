import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";
import { withApply } from "../program-apply.ts";
import type { AdoptOptions } from "./owner-adopt.ts";
import type { OfferOptions } from "./transfer.ts";
import type { ReserveOptions } from "./reserve.ts";

type Ended = (code: number) => void;

/** The commands `owner …`, `reserve …` and `transfer …`. */
export function addOwners(program: Program, command: Command, ended: Ended): void {
  addOwner(program, command, ended);
  addReserve(program, command, ended);
  addTransfer(program, command, ended);
}

function addOwner(program: Program, command: Command, ended: Ended): void {
  const owner = program.command("owner").description("manage the owners of names");
  owner
    .command("list <protocol> <name>")
    .description("list the owners of a name")
    .option("--json", "print JSON")
    .action(async (protocol: string, name: string, options: Json) => {
      const { listOwners } = await import("./owner.ts");
      ended(await listOwners(command, { protocol, name }, options));
    });
  owner
    .command("add <protocol> <name> <handle>")
    .description("add a user or team as owner, or set its level")
    .option("--level <level>", "read, publish or manage", "manage")
    .option("--json", "print JSON")
    .action(async (...[protocol, name, handle, options]: OwnerAction<{ level: string }>) => {
      const { addOwnerOf } = await import("./owner.ts");
      ended(await addOwnerOf(command, { protocol, name, handle, ...options }));
    });
  owner
    .command("remove <protocol> <name> <handle>")
    .description("remove an owner; the last one with the level manage stays")
    .option("--json", "print JSON")
    .action(async (...[protocol, name, handle, options]: OwnerAction<object>) => {
      const { removeOwnerOf } = await import("./owner.ts");
      ended(await removeOwnerOf(command, { protocol, name, handle, ...options }));
    });
  owner
    .command("report")
    .description("list what Host__Access__Owners=enforce would refuse, from the audit log")
    .option("--since <when>", "a span (30d, 12h) or a date", "30d")
    .option("--json", "print JSON")
    .action(async (options: Json & { readonly since: string }) => {
      ended(await (await import("./owner-report.ts")).reportOwners(command, options));
    });
  owner
    .command("import")
    .description("make the recorded publishers of names without owners their owners")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      ended(await (await import("./owner.ts")).importOwners(command, options));
    });
  addAdopt(owner, command, ended);
}

function addAdopt(owner: Program, command: Command, ended: Ended): void {
  const added = owner
    .command("adopt [handle]")
    .description("make a user or team the owner of names that have none")
    .option("--protocol <protocol>", "nuget, npm or oci (default: all)")
    .option("--pattern <list>", "names that match a pattern: Acme.*,@acme/* (default: all)")
    .option("--json", "print JSON")
    .action(async (handle: string | undefined, options: AdoptOptions) => {
      ended(await (await import("./owner-adopt.ts")).adoptNames(command, handle, options));
    });
  withApply(added, { list: "list the names; change nothing", apply: "add the owner (default)" });
}

type OwnerAction<Options> = [
  protocol: string,
  name: string,
  handle: string,
  options: Json & Options,
];

function addReserve(program: Program, command: Command, ended: Ended): void {
  const reserve = program.command("reserve").description("manage reserved names and prefixes");
  reserve
    .command("add <protocol> <pattern> <handle>")
    .description("reserve a name or a prefix (Acme.*, @acme/*, team/app/**) for an owner")
    .option("--shared", "let others publish new names below the prefix, too")
    .option("--delegated-from <handle>", "the owner of a wider reservation that passes it on")
    .option("--json", "print JSON")
    .action(async (...[protocol, pattern, handle, options]: OwnerAction<ReserveOptions>) => {
      const { addReservation } = await import("./reserve.ts");
      ended(await addReservation(command, { protocol, pattern, handle, ...options }));
    });
  reserve
    .command("list")
    .description("list reserved names and prefixes")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      ended(await (await import("./reserve.ts")).listReservations(command, options));
    });
  reserve
    .command("remove <id>")
    .description("remove a reservation, by its number in the list")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json) => {
      ended(await (await import("./reserve.ts")).removeReservation(command, id, options));
    });
}

function addTransfer(program: Program, command: Command, ended: Ended): void {
  const transfer = program.command("transfer").description("manage transfers of names");
  transfer
    .command("offer <protocol> <name> <handle>")
    .description("offer a right on a name; it moves when the other side accepts")
    .option("--from <handle>", "the owner that loses its right (default: none)")
    .option("--level <level>", "read, publish or manage", "manage")
    .option("--expires <when>", "a span (14d) or a date, at most 30d", "14d")
    .option("--json", "print JSON")
    .action(async (...[protocol, name, handle, options]: OwnerAction<OfferOptions>) => {
      const { offerTransfer } = await import("./transfer.ts");
      ended(await offerTransfer(command, { protocol, name, handle, ...options }));
    });
  transfer
    .command("list")
    .description("list open offers")
    .option("--json", "print JSON")
    .action(async (options: Json) => {
      ended(await (await import("./transfer.ts")).listTransfers(command, options));
    });
  transfer
    .command("accept <id>")
    .description("accept an offer for the other side")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json) => {
      ended(await (await import("./transfer.ts")).decideTransfer(command, id, { ...options }));
    });
  transfer
    .command("decline <id>")
    .description("decline an offer for the other side, or withdraw it")
    .option("--withdraw", "withdraw it for the sender")
    .option("--json", "print JSON")
    .action(async (id: string, options: Json & { readonly withdraw?: true }) => {
      const as = options.withdraw ? "withdrawn" : "declined";
      ended(await (await import("./transfer.ts")).decideTransfer(command, id, { ...options, as }));
    });
}
