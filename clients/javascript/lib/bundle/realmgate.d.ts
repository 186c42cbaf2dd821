export * from "../realmgate.js";
