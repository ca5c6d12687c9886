#include "cli/filter/report/report_html.h"

#include <cassert>
#include <utility>

namespace petal::cli {
namespace {

constexpr std::string_view kReportStyle = R"css(
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
.best,.all{--grade:var(--best)}.nothing{--grade:var(--weak)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:1rem 0}
.card{background:var(--card);border:1px solid var(--edge);border-radius:.5rem;padding:.6rem .8rem}
.card b{display:block;font-size:1.15rem;line-height:1.3}
.card span{color:var(--soft);font-size:.85rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));margin:.6rem 0;gap:.8rem}
figure{margin:0;background:var(--card);border:1px solid var(--edge);border-radius:.5rem;padding:.8rem;
min-width:0}
figcaption{color:var(--soft);font-size:.9rem;margin-top:.4rem}
svg{display:block;width:100%;height:auto}
.bits{border:1px solid var(--edge);stroke:var(--accent);stroke-width:1;shape-rendering:crispEdges}
.chart text{fill:var(--soft);font-size:12px;font-family:inherit}
.chart .axis{fill:var(--ink)}
.chart .grid{stroke:var(--edge);stroke-width:1;fill:none}
.chart .frame{stroke:var(--soft);stroke-width:1;fill:none}
.chart .line{stroke:var(--accent);stroke-width:2.5;fill:none}
.chart .own{fill:var(--exposed);stroke:var(--card);stroke-width:1.5}
.chart .name{fill:var(--ink);font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:3px}
.chart .other{fill:var(--card);stroke:var(--soft);stroke-width:1.5}
.chart .in{fill:var(--ink);font-size:11px;paint-order:stroke;stroke:var(--card);stroke-width:3px}
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--edge)}
th,td{padding:.45rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--edge);
font-size:.93rem}
th{color:var(--soft);font-weight:600}
th.n{text-align:right}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
tr[class] td:nth-child(2),
.grade{color:var(--grade);font-weight:700}
.figures thead{display:none}.figures td:nth-child(1){width:13rem;font-weight:600}
.figures td:nth-child(2){width:15rem}table+.figures{border-top:0}
ol{padding-left:1.6rem;margin:.3rem 0;columns:2 14rem;font-size:.9rem}
@media(max-width:44rem){table,tbody,tr,td{display:block}thead{position:absolute;left:-999rem}
tr{border-bottom:2px solid var(--edge);padding:.4rem 0}td{border:0;padding:.12rem .6rem}
td.n{text-align:left;white-space:normal}
td::before{content:attr(data-h) ": ";color:var(--soft)}td:first-child{font-weight:600}
td:first-child::before,.figures td::before{content:""}.figures td:nth-child(n){width:auto}
.figures td:nth-child(2){color:var(--accent)}.figures td:empty{display:none}}
@media(max-width:30rem){main{padding:1rem .6rem 2rem}figure{padding:.6rem .4rem}
h3,figcaption{padding:0 .3rem}.chart text{font-size:15px}.chart .in{font-size:14px}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--edge:#bbb}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}body{font-size:10pt}p{orphans:3;widows:3}
h1,h2,h3,h2+p,thead{break-after:avoid}h2{margin-top:1.4rem}
figure,.verdict,.card,tr{break-inside:avoid}.charts{grid-template-columns:1fr 1fr}
.cards{grid-template-columns:repeat(3,1fr)}.chart text{font-size:14px}.chart .in{font-size:13px}
table{border:0;border-top:1px solid var(--edge)}table+.figures{border-top:0}}
)css";

}  // namespace

std::string html_escaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        switch (c) {
            case ' ':  // a percentage is not broken over two lines
                result += text.substr(i + 1, 1) == "%" ? "&nbsp;" : " ";
                break;
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string html_element(std::string_view tag, std::string_view text, std::string_view classes) {
    std::string html = "<" + std::string(tag);
    if (!classes.empty()) html += " class=\"" + std::string(classes) + "\"";
    return html + ">" + html_escaped(text) + "</" + std::string(tag) + ">";
}

std::string html_head(std::string_view title) {
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
           "style-src 'unsafe-inline';img-src data:\">"
           "<link rel=\"icon\" href=\"data:,\">" +
           html_element("title", title) + "<style>" + std::string(kReportStyle) + "</style></head>";
}

HtmlTable::HtmlTable(std::vector<std::string> heads, std::size_t numbers, std::string classes)
    : heads_(std::move(heads)), numbers_(numbers), classes_(std::move(classes)) {}

void HtmlTable::add_row(const std::vector<std::string>& cells, std::string_view row_class) {
    assert(cells.size() == heads_.size());
    rows_ += row_class.empty() ? "<tr>" : "<tr class=\"" + std::string(row_class) + "\">";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        rows_ += "<td data-h=\"" + html_escaped(heads_[i]) + "\"";
        if (i >= numbers_) rows_ += " class=\"n\"";
        rows_ += ">" + html_escaped(cells[i]) + "</td>";
    }
    rows_ += "</tr>";
}

std::string HtmlTable::html() const {
    std::string head;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
        head += html_element("th", heads_[i], i >= numbers_ ? "n" : "");
    }
    return "<table class=\"" + classes_ + "\"><thead><tr>" + head + "</tr></thead><tbody>" + rows_ +
           "</tbody></table>";
}

}  // namespace petal::cli
