import type { ServiceAccounts } from "@sealhouse/identity";

/** Rows of service accounts. */
export type AccountRows = {
  readonly serviceAccounts: Pick<ServiceAccounts, "add" | "find" | "list" | "setState">;
};
