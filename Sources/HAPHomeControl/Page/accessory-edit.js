// Renaming and removing an accessory.

import * as api from "./api.js";
import { dialog } from "./dialog.js";
import { field, h } from "./dom.js";
import { actionForm, nameField } from "./forms.js";
import { notice } from "./notices.js";
import { route } from "./route.js";

/** An accessory whose only service has its name is renamed together with the service. */
export function renameDialog(store, accessory) {
  const services = accessory.services.filter((service) => service.interactive);
  const isOne = services.length === 1 && services[0].name === accessory.name;
  dialog(`Rename ${accessory.name}`, (close) => {
    const name = nameField(accessory.name);
    const others = isOne ? [] : services.map((service) => ({ service, input: nameField(service.name, { autofocus: false }) }));
    return actionForm([field("Name", name), others.map(({ service, input }) => field(`Name of the ${service.typeName}`, input))], "Rename", async () => {
      const wanted = name.value.trim();
      const renames = [[accessory, wanted], ...(isOne ? [[services[0], wanted]] : others.map(({ service, input }) => [service, input.value.trim()]))];
      for (const [object, name] of renames) if (name !== object.name) await api.perform("rename", { object: object.id, name });
      await store.load();
      close("");
    });
  });
}

/** Removes an accessory with its pairing. If it can't be reached, the hub can forget it: it removes the pairing when the accessory returns. */
export function removalOf(store, accessory) {
  const { model } = store;
  const behind = model.accessories.filter((one) => one.bridge === accessory.id).length;
  const bridge = accessory.bridge && model.accessory(accessory.bridge);
  dialog(`Remove ${accessory.name}?`, (close) => {
    if (bridge) return h("p", null, `It belongs to the bridge ${bridge.name}, and is removed together with that.`);
    const forgets = h("input", { type: "checkbox", id: "forgets" });
    const text = `Its pairing is removed, and it leaves all scenes and triggers.${behind > 0 ? ` Its ${behind} bridged accessories are removed, too.` : ""}`;
    const choice = h("span", { class: "check" }, forgets, h("label", { for: forgets.id }, "Forget it, although it cannot be reached. The pairing is removed when it returns."));
    return actionForm([h("p", null, text), accessory.reachable || !model.isOwner ? null : choice], "Remove", async () => {
      await api.removeAccessory(model.id, accessory.id, forgets.checked);
      close("");
      // The user may have left the details during a slow removal.
      if (route().id === accessory.id) location.hash = "#/";
      await store.load();
      notice(`${accessory.name} is removed.`);
    }, h("button", { type: "button", on: { click: () => close("") } }, "Cancel"));
  });
}
