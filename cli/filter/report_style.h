/// The style sheet of the report page.
#pragma once

#include <string_view>

namespace petal::cli {

inline constexpr std::string_view kReportStyle = R"css(
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6577;--page:#fbfbfd;--card:#fff;--edge:#d9dee8;
--accent:#2f62c8;--exposed:#b3261e;--weak:#a05a00;--limited:#7a6a00;--best:#1e7a3c}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9f0;--soft:#9aa4b8;--page:#12151c;--card:#1a1f2a;
--edge:#343c4d;--accent:#7da6ff;--exposed:#ff8a80;--weak:#ffb74d;--limited:#e6d36a;--best:#81d79a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",
Roboto,"DejaVu Sans",sans-serif;overflow-wrap:break-word}
main{max-width:64rem;margin:0 auto;padding:1.25rem 1rem 3rem}
h1{overflow-wrap:anywhere;font-size:1.6rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.2rem;margin:2.25rem 0 .5rem}
h3{font-size:1rem;margin:0 0 .5rem}
p{margin:.4rem 0;max-width:46rem}
.soft{color:var(--soft);font-size:.9rem}
.verdict{border:1px solid var(--edge);border-left:.5rem solid var(--grade);background:var(--card);
border-radius:.5rem;padding:.8rem 1rem;margin:1rem 0}
.verdict strong{color:var(--grade);font-size:1.15rem}
.exposed{--grade:var(--exposed)}.weak{--grade:var(--weak)}.limited{--grade:var(--limited)}
.best,.nothing,.all{--grade:var(--best)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:1rem 0}
.card{background:var(--card);border:1px solid var(--edge);border-radius:.5rem;padding:.6rem .8rem}
.card b{display:block;font-size:1.15rem;line-height:1.3}
.card span{color:var(--soft);font-size:.85rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));margin:.6rem 0;gap:.8rem}
figure{margin:0;background:var(--card);border:1px solid var(--edge);border-radius:.5rem;padding:.8rem;
min-width:0}
figcaption{color:var(--soft);font-size:.9rem;margin-top:.4rem}
svg{display:block;width:100%;height:auto}
.bits{image-rendering:pixelated;max-height:26rem;border:1px solid var(--edge)}
.bits image{image-rendering:pixelated}
.chart text{fill:var(--soft);font-size:12px;font-family:inherit}
.chart .axis{fill:var(--ink)}
.chart .grid{stroke:var(--edge);stroke-width:1;fill:none}
.chart .line{stroke:var(--accent);stroke-width:2.5;fill:none}
.chart .own{fill:var(--exposed);stroke:var(--card);stroke-width:1.5}
.chart .name{fill:var(--ink);font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:3px}
.chart .other{fill:var(--card);stroke:var(--soft);stroke-width:1.5}
.chart .in{fill:var(--ink);font-size:11px;text-anchor:middle}
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--edge)}
th,td{padding:.45rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--edge);
font-size:.93rem}
th{color:var(--soft);font-weight:600}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
tr.exposed td:nth-child(2),tr.weak td:nth-child(2),tr.limited td:nth-child(2),tr.best td:nth-child(2),
.grade{color:var(--grade);font-weight:700}
ol{padding-left:1.6rem;margin:.3rem 0;columns:2 14rem;font-size:.9rem}
@media(max-width:44rem){table,tbody,tr,td{display:block}thead{position:absolute;left:-999rem}
tr{border-bottom:2px solid var(--edge);padding:.4rem 0}td{border:0;padding:.12rem .6rem}
td.n{text-align:left;white-space:normal}
td::before{content:attr(data-h) ": ";color:var(--soft)}td:first-child{font-weight:600}
td:first-child::before{content:""}}
@media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--edge:#bbb}
figure,.verdict,.card,tr{break-inside:avoid}main{max-width:none;padding:0}body{font-size:11pt}}
)css";

}  // namespace petal::cli
