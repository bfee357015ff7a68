import type { OwnershipParts } from "@sealhouse/identity/testing";
import type { DatabaseConfig } from "../connection-string.ts";
import { databaseOver } from "../database-over.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import { ownerRows } from "./owner-rows.ts";

/** Users, teams and service accounts of a database that a host may use at the same time. */
export type TestOwners = AsyncDisposable &
  Pick<OwnershipParts, "addOwner" | "addMember" | "addAccount">;

export async function openTestOwners(config: DatabaseConfig): Promise<TestOwners> {
  const connections = await openConnections(config);
  const { context } = databaseOver(connections);
  return {
    ...ownerRows(context.changes),
    [Symbol.asyncDispose]: () => closeConnections(connections),
  };
}
