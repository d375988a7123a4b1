// Weights of the search's results: Sphinx's own, but lists of changes and of all pages come last.
var Scorer = {
  score: ([docname, , , , score]) => (["CHANGELOG", "docs/index"].includes(docname) ? score - 5 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
