"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const findings = [...document.querySelectorAll("details.finding")];
  const shown = document.getElementById("shown");
  const none = document.getElementById("none");
  const fold = document.getElementById("fold");
  const texts = new Map(findings.map((one) => [one, one.textContent.toLowerCase()]));
  form.hidden = false;

  const fits = (one, wanted) =>
    ["check", "state", "distribution", "step"].every((key) => !wanted.get(key) || one.dataset[key] === wanted.get(key)) &&
    texts.get(one).includes((wanted.get("text") || "").trim().toLowerCase());

  const apply = () => {
    const wanted = new FormData(form);
    let count = 0;
    for (const one of findings) {
      one.hidden = !fits(one, wanted);
      count += one.hidden ? 0 : 1;
    }
    shown.value = `${count} of ${findings.length}`;
    none.hidden = count > 0;
  };

  const unfold = (open) => {
    for (const one of findings) if (!one.hidden) one.open = open;
    fold.textContent = open ? "Close all" : "Open all";
  };

  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  fold.addEventListener("click", () => unfold(fold.textContent === "Open all"));
  addEventListener("beforeprint", () => findings.forEach((one) => (one.open = true)));
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) named.open = true;
  apply();
})();
