import { defineEntity } from "@mikro-orm/core";
import { big, key, time } from "./columns.ts";

/** A place only one holder has at a time. The fence rises with every new holder. */
export const Lease = defineEntity({
  name: "Lease",
  tableName: "leases",
  properties: {
    name: key(255).primary(),
    holder: key(128),
    fence: big(),
    heldUntil: time(),
  },
});
