<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>FigureText</name>
    <message>
        <source>Components %1</source>
        <comment>how they were read</comment>
        <translation>%1的组成部分</translation>
    </message>
    <message>
        <source>Peak, and components %1</source>
        <comment>how they were read</comment>
        <translation>峰值，以及%1的组成部分</translation>
    </message>
    <message>
        <source>Each component %1</source>
        <comment>how it was read</comment>
        <translation>%1的各组成部分</translation>
    </message>
    <message>
        <source>Diagonal entry</source>
        <translation>对角元</translation>
    </message>
    <message>
        <source>UMAP 1</source>
        <translation>UMAP 1</translation>
    </message>
    <message>
        <source>UMAP 2</source>
        <translation>UMAP 2</translation>
    </message>
    <message>
        <source>ΔPPL</source>
        <translation>ΔPPL</translation>
    </message>
    <message>
        <source>ΔAUC</source>
        <translation>ΔAUC</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Optimiser step</source>
        <translation>优化器步</translation>
    </message>
    <message>
        <source>Other phases</source>
        <translation>其他阶段</translation>
    </message>
    <message>
        <source>%1 of %2 points so far</source>
        <translation>目前 %1 / %2 个点</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>%1 个点</translation>
    </message>
    <message>
        <source>%1 more settings are not shown</source>
        <translation>另有 %1 组设置未显示</translation>
    </message>
    <message>
        <source>predicted for Peakscope's own training step</source>
        <translation>针对 Peakscope 自身训练步骤的预测</translation>
    </message>
</context>
<context>
    <name>ReportText</name>
    <message>
        <source>Peak of %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>By line, at the peak</source>
        <translation>峰值时按代码行</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>verdict, what it does to training</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 (%2).</source>
        <comment>what to do, verdict</comment>
        <translation>%1（%2）。</translation>
    </message>
    <message>
        <source>%1: saves %2 (%3).</source>
        <comment>what to do, bytes, verdict</comment>
        <translation>%1：节省 %2（%3）。</translation>
    </message>
    <message>
        <source>%1: saves %2; %3 are then reserved (%4).</source>
        <comment>what to do, bytes, bytes, verdict</comment>
        <translation>%1：节省 %2；之后保留 %3（%4）。</translation>
    </message>
    <message>
        <source>%1: saves %2; the predicted peak is then %3 (%4).</source>
        <comment>what to do, bytes, bytes, verdict</comment>
        <translation>%1：节省 %2；之后预测峰值为 %3（%4）。</translation>
    </message>
    <message>
        <source>At the peak,</source>
        <translation>峰值时刻</translation>
    </message>
    <message>
        <source>At</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>内存随时间变化</translation>
    </message>
    <message>
        <source>Wheel: zoom at the pointer. Drag: move. Double click or Home: everything.</source>
        <translation>滚轮：在指针处缩放。拖动：移动。双击或 Home：显示全部。</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>图</translation>
    </message>
    <message>
        <source>%1 results</source>
        <translation>%1 个结果</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the language of this text</comment>
        <translation>zh</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>浅色或深色</translation>
    </message>
</context>
<context>
    <name>peakscope::BytesText</name>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
</context>
<context>
    <name>peakscope::CapacityText</name>
    <message>
        <source>The card has %1, of which %2 are usable. The CUDA context takes %3 and leaves %4.</source>
        <translation>显卡共有 %1，其中 %2 可用。CUDA 上下文占用 %3，剩下 %4。</translation>
    </message>
    <message>
        <source>%1 A search keeps to %2 % of that: %3.</source>
        <comment>the sentences before</comment>
        <translation>%1搜索只用其中的 %2 %：%3。</translation>
    </message>
</context>
<context>
    <name>peakscope::BarsView</name>
    <message>
        <source>Rows in sight</source>
        <translation>可见的行</translation>
    </message>
</context>
<context>
    <name>peakscope::ComponentBarsView</name>
    <message>
        <source>Stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Stages as recorded</source>
        <translation>按记录的阶段</translation>
    </message>
    <message>
        <source>As recorded in the file: %1 (%2)</source>
        <translation>文件中的记录：%1（%2）</translation>
    </message>
    <message>
        <source>recorded by stage</source>
        <translation>按阶段记录</translation>
    </message>
    <message>
        <source>The largest of %1 recorded stages is %2 with %3.</source>
        <translation>记录的 %1 个阶段中最大的是 %2，为 %3。</translation>
    </message>
    <message>
        <source>%1 (%2), %3</source>
        <comment>bytes, exact bytes, how they were read</comment>
        <translation>%1（%2），%3</translation>
    </message>
    <message>
        <source>%1 in all, %2</source>
        <comment>bytes, how they were read</comment>
        <translation>共 %1，%2</translation>
    </message>
    <message>
        <source>%1 in all, %2.</source>
        <comment>bytes, how they were read</comment>
        <translation>共 %1，%2。</translation>
    </message>
    <message>
        <source>%1: no part of the peak</source>
        <comment>how it was read</comment>
        <translation>%1：不属于峰值</translation>
    </message>
    <message>
        <source>After the step</source>
        <translation>步骤之后</translation>
    </message>
    <message>
        <source>As listed</source>
        <translation>按文件所列</translation>
    </message>
    <message>
        <source>Own maximum: %1 (%2)</source>
        <translation>自身最大值：%1（%2）</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>组成</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>Own maximum</source>
        <translation>自身最大值</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>What the memory is made of was not recorded.</source>
        <translation>没有记录内存的组成。</translation>
    </message>
    <message>
        <source>What the peak is made of appears here with the first memory events.</source>
        <translation>收到第一批内存事件后，这里显示峰值的组成。</translation>
    </message>
    <message>
        <source>at the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>bytes · share</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>own maximum</source>
        <translation>自身最大值</translation>
    </message>
    <message>
        <source>%1 at the peak; the largest part is %2 with %3 (%4).</source>
        <translation>峰值为 %1；最大的部分是%2，%3（%4）。</translation>
    </message>
    <message>
        <source>%1 (%2 in all)</source>
        <comment>when, bytes</comment>
        <translation>%1（共 %2）</translation>
    </message>
    <message>
        <source>%1 at %5; the largest part is %2 with %3 (%4).</source>
        <translation>%5 时共 %1；最大的部分是 %2，为 %3（%4）。</translation>
    </message>
    <message>
        <source>%1: %2 (%3), %4 of it</source>
        <comment>when, bytes, exact bytes, share</comment>
        <translation>%1：%2（%3），占 %4</translation>
    </message>
    <message>
        <source>At %1</source>
        <comment>an instant</comment>
        <translation>%1 时</translation>
    </message>
    <message>
        <source>Components at %1</source>
        <translation>%1 时的组成部分</translation>
    </message>
    <message>
        <source>A bar is what one component holds at that instant. A pale bar is its own maximum, at any time.</source>
        <translation>一根条形是一个组成部分在该时刻占用的字节；浅色条形是它在任意时刻的自身最大值。</translation>
    </message>
    <message>
        <source>A bar is a stage, as its script recorded it.</source>
        <translation>一根条形是一个阶段，数值由其脚本记录。</translation>
    </message>
    <message>
        <source>A bar is one component.</source>
        <translation>一根条形是一个组成部分。</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalysisText</name>
    <message>
        <source>Change (part of the largest in its row)</source>
        <translation>变化量（占该行最大值的比例）</translation>
    </message>
    <message>
        <source>Hedges' g</source>
        <translation>Hedges g</translation>
    </message>
    <message>
        <source>Control</source>
        <translation>对照组</translation>
    </message>
    <message>
        <source>Not classified</source>
        <translation>未分类</translation>
    </message>
    <message>
        <source>Control of %1</source>
        <translation>%1 的对照组</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>噪声点</translation>
    </message>
    <message>
        <source>Cluster %1</source>
        <translation>簇 %1</translation>
    </message>
    <message>
        <source>attack</source>
        <translation>攻击</translation>
    </message>
    <message>
        <source>log perplexity</source>
        <translation>对数困惑度</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>困惑度</translation>
    </message>
    <message>
        <source>AUC (%1)</source>
        <translation>AUC（%1）</translation>
    </message>
    <message>
        <source>supported</source>
        <translation>得到支持</translation>
    </message>
    <message>
        <source>not supported</source>
        <translation>未得到支持</translation>
    </message>
    <message>
        <source>contradicted</source>
        <translation>被否定</translation>
    </message>
    <message>
        <source>undetermined</source>
        <translation>无法判定</translation>
    </message>
</context>
<context>
    <name>peakscope::PeakBar</name>
    <message>
        <source>not even the smallest run fits the budget of %1</source>
        <translation>最小的运行也放不进 %1 的预算</translation>
    </message>
    <message>
        <source>not even the smallest run fits the card&apos;s %1</source>
        <translation>最小的运行也放不进显卡的 %1</translation>
    </message>
    <message>
        <source>not even the smallest run fits the %1 to take</source>
        <translation>最小的运行也放不进可用的 %1</translation>
    </message>
    <message>
        <source>the run will be fitted to what its device has free</source>
        <translation>运行会适配其设备的空闲内存</translation>
    </message>
    <message>
        <source>the run will be fitted to the card&apos;s %1</source>
        <translation>运行会适配显卡的 %1</translation>
    </message>
    <message>
        <source>the run will be fitted to %1; a tenth of the free memory stays free</source>
        <translation>运行会适配 %1；空闲内存的十分之一会留空</translation>
    </message>
    <message>
        <source>Free memory to take</source>
        <translation>可用的空闲内存</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a component, its bytes</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 of the budget of %2 left</source>
        <translation>预算 %2 还剩 %1</translation>
    </message>
    <message>
        <source>%1 of the card&apos;s %2 left</source>
        <translation>显卡 %2 还剩 %1</translation>
    </message>
    <message>
        <source>%1 over the budget</source>
        <translation>超出预算 %1</translation>
    </message>
    <message>
        <source>%1 over the card&apos;s memory</source>
        <translation>超出显卡内存 %1</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>Predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>Predicted peak by component</source>
        <translation>按组成部分的预测峰值</translation>
    </message>
    <message>
        <source>about %1</source>
        <comment>bytes</comment>
        <translation>约 %1</translation>
    </message>
    <message>
        <source>no prediction</source>
        <translation>没有预测</translation>
    </message>
    <message>
        <source>the run will be fitted to the budget of %1</source>
        <translation>运行会适配 %1 的预算</translation>
    </message>
</context>
<context>
    <name>peakscope::UnitColours</name>
    <message>
        <source>%1 (%2)</source>
        <comment>class (units)</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>least %1</source>
        <translation>最小 %1</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>中位 %1</translation>
    </message>
    <message>
        <source>most %1</source>
        <translation>最大 %1</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalysePage</name>
    <message>
        <source>UMAP 1</source>
        <translation>UMAP 1</translation>
    </message>
    <message>
        <source>UMAP 2</source>
        <translation>UMAP 2</translation>
    </message>
    <message>
        <source>This file holds no features and no embedding of units.</source>
        <translation>此文件没有单元的特征和嵌入。</translation>
    </message>
    <message>
        <source>No embedding is stored. “Compute UMAP” makes one from the features.</source>
        <translation>没有存储嵌入。“计算 UMAP”可由特征生成。</translation>
    </message>
    <message>
        <source>This file holds no alignment and sparsity of units.</source>
        <translation>此文件没有单元的对齐度和稀疏度。</translation>
    </message>
    <message>
        <source>Stopped. “Compute UMAP” starts again.</source>
        <translation>已停止。“计算 UMAP”可重新开始。</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>recomputed</source>
        <translation>重新计算</translation>
    </message>
    <message>
        <source>what-if</source>
        <translation>假设</translation>
    </message>
    <message>
        <source>Computing the embedding…</source>
        <translation>正在计算嵌入…</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 个单元</translation>
    </message>
    <message>
        <source>what-if: the stored classes stay</source>
        <translation>假设：存储的类别不变</translation>
    </message>
    <message>
        <source>%1 selected</source>
        <translation>已选 %1 个</translation>
    </message>
    <message>
        <source>silhouette %1</source>
        <translation>轮廓系数 %1</translation>
    </message>
    <message>
        <source>trustworthiness %1</source>
        <translation>可信度 %1</translation>
    </message>
    <message>
        <source>Colour:</source>
        <translation>颜色：</translation>
    </message>
    <message>
        <source>Which parameters carry function, which carry privacy risk?</source>
        <translation>哪些参数承载功能，哪些带来隐私风险？</translation>
    </message>
    <message>
        <source>Open a result of kind prm, or a file of the older scripts. It shows the units in an embedding, their classes, and the effect of noise in them.</source>
        <translation>打开 prm 类型的结果或旧脚本的文件，查看单元的嵌入、类别以及噪声的影响。</translation>
    </message>
    <message>
        <source>Open results…</source>
        <translation>打开结果…</translation>
    </message>
    <message>
        <source>live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>answers so far: %1</source>
        <translation>目前 %1 个响应</translation>
    </message>
    <message>
        <source>The units are placed once the model is fine-tuned and their features are known.</source>
        <translation>模型微调完成并得到特征后，单元才会有位置。</translation>
    </message>
    <message>
        <source>Alignment and sparsity come with the units' features.</source>
        <translation>对齐度与稀疏度随单元特征一起得到。</translation>
    </message>
    <message>
        <source>A dry run measures memory only: no response to noise and no feature was computed.</source>
        <translation>空跑只测量显存：未计算对噪声的响应，也未计算特征。</translation>
    </message>
    <message>
        <source>this file lists no units: there is nothing to embed</source>
        <translation>此文件没有列出单元：没有可嵌入的内容</translation>
    </message>
</context>
<context>
    <name>peakscope::ColourChoice</name>
    <message>
        <source>Colour of the units</source>
        <translation>单元的颜色</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>簇</translation>
    </message>
    <message>
        <source>Module kind</source>
        <translation>模块类型</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalyseHead</name>
    <message>
        <source>Wfunc carries function: %1</source>
        <translation>Wfunc 承载功能：%1</translation>
    </message>
    <message>
        <source>Wsens carries what was memorised: %1</source>
        <translation>Wsens 承载记忆内容：%1</translation>
    </message>
    <message>
        <source>Wboth carries both: %1</source>
        <translation>Wboth 两者兼有：%1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Progress of the embedding</source>
        <translation>嵌入的进度</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalyseTables</name>
    <message>
        <source>Units and features</source>
        <translation>单元与特征</translation>
    </message>
    <message>
        <source>This result holds no units.</source>
        <translation>此结果没有单元。</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>簇</translation>
    </message>
    <message>
        <source>No clusters yet.</source>
        <translation>尚无簇。</translation>
    </message>
    <message>
        <source>Answers to noise</source>
        <translation>对噪声的响应</translation>
    </message>
    <message>
        <source>No responses to noise yet.</source>
        <translation>尚无对噪声的响应。</translation>
    </message>
    <message>
        <source>Effects</source>
        <translation>效应</translation>
    </message>
    <message>
        <source>No effects yet.</source>
        <translation>尚无效应。</translation>
    </message>
    <message>
        <source>Hypotheses</source>
        <translation>研究假设</translation>
    </message>
    <message>
        <source>No hypotheses yet.</source>
        <translation>尚无研究假设的结论。</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalyseBody</name>
    <message>
        <source>Embedding (UMAP)</source>
        <translation>嵌入（UMAP）</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Hypotheses</source>
        <translation>研究假设</translation>
    </message>
    <message>
        <source>Radius of clusters</source>
        <translation>簇的半径</translation>
    </message>
    <message>
        <source>A point is a row of a weight matrix. Near points have like features; the colour is the class or what is chosen.</source>
        <translation>一个点是权重矩阵的一行；相近的点特征相似；颜色是类别或所选的量。</translation>
    </message>
    <message>
        <source>Embedding and classes</source>
        <translation>嵌入与类别</translation>
    </message>
    <message>
        <source>Answers to noise and statistics</source>
        <translation>对噪声的响应与统计</translation>
    </message>
</context>
<context>
    <name>peakscope::UnitWords</name>
    <message>
        <source>alignment %1, sparsity %2</source>
        <translation>对齐度 %1，稀疏度 %2</translation>
    </message>
    <message>
        <source>A parameter unit: one point of the embedding. %1</source>
        <translation>参数单元：嵌入中的一个点。%1</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>特征</translation>
    </message>
    <message>
        <source>‖P ḡ‖ / ‖ḡ‖: share of the unit's mean gradient (one half of the calibration text) in the leading directions of its per-sample gradients (other half)</source>
        <translation>‖P ḡ‖ / ‖ḡ‖：单元的平均梯度（校准文本的一半）落在其逐样本梯度（另一半）主方向上的比例</translation>
    </message>
    <message>
        <source>share of the activations it produces that are below a hundredth of their RMS</source>
        <translation>其产生的激活值中低于其均方根百分之一的比例</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>%1 (%2 %)</source>
        <translation>%1（%2 %）</translation>
    </message>
    <message numerus="yes">
        <source>%n units selected</source>
        <translation><numerusform>已选 %n 个单元</numerusform></translation>
    </message>
    <message>
        <source>Each is a row of weights, one point of the embedding.</source>
        <translation>每个单元是一行权重，即嵌入图中的一个点。</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>簇</translation>
    </message>
    <message>
        <source>no class</source>
        <translation>无类别</translation>
    </message>
    <message>
        <source>Means</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>%1 (all: %2)</source>
        <comment>mean of the selected, of all</comment>
        <translation>%1（全部：%2）</translation>
    </message>
</context>
<context>
    <name>peakscope::PartitionFields</name>
    <message>
        <source>Rule of the classes</source>
        <translation>分类规则</translation>
    </message>
    <message>
        <source>Thresholds</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Quantiles</source>
        <translation>分位数</translation>
    </message>
    <message>
        <source>Thresholds: alignment ≥ and sparsity &lt; make Wfunc, alignment ≤ and sparsity ≥ make Wsens, the rest is Wboth. Quantiles: by rank of alignment less rank of sparsity, a third each.</source>
        <translation>阈值：对齐度 ≥ 且稀疏度 &lt; 为 Wfunc，对齐度 ≤ 且稀疏度 ≥ 为 Wsens，其余为 Wboth。分位数：按对齐度名次减稀疏度名次，各占三分之一。</translation>
    </message>
    <message>
        <source>Wfunc: alignment at least this and sparsity below the other</source>
        <translation>Wfunc：对齐度不低于此值且稀疏度低于另一值</translation>
    </message>
    <message>
        <source>Wsens: alignment at most this and sparsity at least the other</source>
        <translation>Wsens：对齐度不高于此值且稀疏度不低于另一值</translation>
    </message>
    <message>
        <source>Least alignment of Wfunc</source>
        <translation>Wfunc 的最小对齐度</translation>
    </message>
    <message>
        <source>Sparsity of Wfunc below</source>
        <translation>Wfunc 的稀疏度上限</translation>
    </message>
    <message>
        <source>Most alignment of Wsens</source>
        <translation>Wsens 的最大对齐度</translation>
    </message>
    <message>
        <source>Least sparsity of Wsens</source>
        <translation>Wsens 的最小稀疏度</translation>
    </message>
    <message>
        <source>As stored</source>
        <translation>恢复存储值</translation>
    </message>
    <message>
        <source>Resets the lines to the thresholds of the result</source>
        <translation>把线恢复到结果中的阈值</translation>
    </message>
    <message>
        <source>Rule:</source>
        <translation>规则：</translation>
    </message>
    <message>
        <source>Wfunc ≥</source>
        <translation>Wfunc ≥</translation>
    </message>
    <message>
        <source>Wsens ≤</source>
        <translation>Wsens ≤</translation>
    </message>
</context>
<context>
    <name>peakscope::EmbeddingFields</name>
    <message>
        <source>Neighbours of each unit, itself included: larger shows more of the whole, less detail</source>
        <translation>每个单元的邻居数（含自身）：越大越显整体，细节越少</translation>
    </message>
    <message>
        <source>Least distance of units in the embedding: larger makes looser clusters</source>
        <translation>嵌入中单元的最小距离：越大簇越松散</translation>
    </message>
    <message>
        <source>The same seed gives the same embedding, bit for bit</source>
        <translation>相同的种子逐位得到相同的嵌入</translation>
    </message>
    <message>
        <source>Compute UMAP</source>
        <translation>计算 UMAP</translation>
    </message>
    <message>
        <source>Computes the embedding again from the features, in the background</source>
        <translation>在后台由特征重新计算嵌入</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>DBSCAN's radius; the k-distances help to choose it. auto: twice the distance that 95 % of the units stay within</source>
        <translation>DBSCAN 的半径；k 距离有助于选择。自动：95 % 的单元所不超过的距离的两倍</translation>
    </message>
    <message>
        <source>Units within the radius, itself included, that make a core of a cluster</source>
        <translation>半径内（含自身）构成簇核心所需的单元数</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalyseWorker</name>
    <message>
        <source>Not enough memory for this many units; choose fewer.</source>
        <translation>内存不足以处理这么多单元；请减少单元。</translation>
    </message>
</context>
<context>
    <name>peakscope::UnitScatterView</name>
    <message>
        <source>Selected units: %1. Esc drops the selection.</source>
        <translation>已选单元：%1。Esc 取消选择。</translation>
    </message>
    <message>
        <source>Click a unit, or Ctrl+drag a rectangle (Ctrl+Shift+drag a lasso) to select units.</source>
        <translation>单击单元，或 Ctrl+拖动矩形（Ctrl+Shift+拖动套索）以选择单元。</translation>
    </message>
    <message>
        <source>No units.</source>
        <translation>没有单元。</translation>
    </message>
    <message>
        <source>%1 units: %2. %3 selected.</source>
        <translation>%1 个单元：%2。已选 %3 个。</translation>
    </message>
    <message>
        <source>%1 units: %2. %3 selected, %4 without a place.</source>
        <translation>%1 个单元：%2。已选 %3 个，%4 个没有位置。</translation>
    </message>
    <message>
        <source>%1 without a place</source>
        <translation>%1 个没有位置</translation>
    </message>
</context>
<context>
    <name>peakscope::ResponseView</name>
    <message>
        <source>ΔPPL</source>
        <translation>ΔPPL</translation>
    </message>
    <message>
        <source>ΔAUC</source>
        <translation>ΔAUC</translation>
    </message>
    <message>
        <source>Answers to noise</source>
        <translation>对噪声的响应</translation>
    </message>
    <message>
        <source>What is drawn</source>
        <translation>所画内容</translation>
    </message>
    <message>
        <source>ΔPPL against σ</source>
        <translation>ΔPPL 对 σ</translation>
    </message>
    <message>
        <source>ΔAUC (%1) against σ</source>
        <translation>ΔAUC（%1）对 σ</translation>
    </message>
    <message>
        <source>ΔAUC (%1) against ΔPPL</source>
        <translation>ΔAUC（%1）对 ΔPPL</translation>
    </message>
    <message>
        <source>No responses to noise yet: an experiment of kind prm measures them.</source>
        <translation>尚无对噪声的响应：prm 类实验会测量。</translation>
    </message>
    <message>
        <source>Noise σ (0, then logarithmic)</source>
        <translation>噪声 σ（0，其后为对数）</translation>
    </message>
    <message>
        <source>Bands: 95 % intervals. Point at a mark for its values; click it to select the class.</source>
        <translation>色带：95 % 区间。指向标记可看数值；单击可选择该类。</translation>
    </message>
    <message>
        <source>Point at a mark for its values; click it to select the class.</source>
        <translation>指向标记可看数值；单击可选择该类。</translation>
    </message>
    <message>
        <source>%1, σ %2 · ΔPPL %3 · ΔAUC %4 · draws: %5</source>
        <comment>class, noise, values with 95 % intervals</comment>
        <translation>%1，σ %2 · ΔPPL %3 · ΔAUC %4 · 抽取次数：%5</translation>
    </message>
    <message>
        <source>No answers to noise.</source>
        <translation>没有对噪声的响应。</translation>
    </message>
    <message>
        <source>%1 at σ %2: %3</source>
        <translation>%1，σ %2：%3</translation>
    </message>
    <message>
        <source>A curve is a class of weights: how the model answers as noise in it grows. Bands are 95 % intervals.</source>
        <translation>一条曲线是一类权重：其中噪声增大时模型如何变化；色带是 95 % 区间。</translation>
    </message>
</context>
<context>
    <name>peakscope::PartitionPlaneView</name>
    <message>
        <source>Classes: alignment × sparsity</source>
        <translation>类别：对齐度 × 稀疏度</translation>
    </message>
    <message>
        <source>Alignment (0 to 1)</source>
        <translation>对齐度（0 到 1）</translation>
    </message>
    <message>
        <source>Sparsity (0 to 1)</source>
        <translation>稀疏度（0 到 1）</translation>
    </message>
    <message>
        <source>Classes by rank: no thresholds in force</source>
        <translation>按名次分类：阈值未生效</translation>
    </message>
    <message>
        <source>A point is a row of a weight matrix, its colour the class.</source>
        <translation>一个点是权重矩阵的一行，颜色是类别。</translation>
    </message>
</context>
<context>
    <name>peakscope::EffectMapView</name>
    <message>
        <source>A cell is the mean change that noise in one class makes.</source>
        <translation>一个单元格是一个类别中的噪声引起的平均变化。</translation>
    </message>
    <message>
        <source>Colours: mean change, as part of the largest in its row. Point at a cell for its value.</source>
        <translation>颜色：平均变化，占所在行最大值的比例。指向单元格可查看其数值。</translation>
    </message>
    <message>
        <source>Hedges' g of class less control; *: below 0.05 after Holm's correction. Point at a cell for its interval.</source>
        <translation>类别减对照的 Hedges g；*：Holm 校正后低于 0.05。指向单元格可看其区间。</translation>
    </message>
    <message>
        <source>Colours: mean change, as part of the largest in its row. Point at a cell for its interval.</source>
        <translation>颜色：平均变化量，以占本行最大值的比例表示。指向单元格可看其区间。</translation>
    </message>
    <message>
        <source>Effects against the control</source>
        <translation>相对于对照组的效应</translation>
    </message>
    <message>
        <source>Noise σ, class by class</source>
        <translation>噪声 σ，按类别</translation>
    </message>
    <message>
        <source>Changes from no noise</source>
        <translation>相对于无噪声的变化</translation>
    </message>
    <message>
        <source>No effects yet: they need noise above 0.</source>
        <translation>尚无效应：需要大于 0 的噪声。</translation>
    </message>
    <message>
        <source>%1, σ %2, Δ%3: %4</source>
        <comment>class, noise, measure, value</comment>
        <translation>%1，σ %2，Δ%3：%4</translation>
    </message>
    <message>
        <source> [%1, %2]</source>
        <comment>95 % interval</comment>
        <translation> [%1, %2]</translation>
    </message>
    <message>
        <source> · Hedges' g %1 · Cliff's δ %2 · p after Holm %3</source>
        <translation> · Hedges g %1 · Cliff δ %2 · Holm 后 p %3</translation>
    </message>
    <message>
        <source>No effects.</source>
        <translation>没有效应。</translation>
    </message>
    <message>
        <source>%1 effects, %2 of them significant after Holm's correction.</source>
        <translation>%1 个效应，其中 %2 个在 Holm 校正后显著。</translation>
    </message>
    <message>
        <source>A cell is the effect of noise in one class, as Hedges&apos; g: its difference to the control in standard deviations.</source>
        <translation>一格是一类权重中噪声的效应（Hedges&apos; g）：与对照之差，以标准差为单位。</translation>
    </message>
</context>
<context>
    <name>peakscope::KDistanceView</name>
    <message>
        <source>Distance to the k-th neighbour</source>
        <translation>到第 k 个近邻的距离</translation>
    </message>
    <message>
        <source>k-distances</source>
        <translation>k 距离</translation>
    </message>
    <message>
        <source>Units, nearest first (count)</source>
        <translation>单元，由近到远（个）</translation>
    </message>
    <message>
        <source>No embedding to cluster yet.</source>
        <translation>尚无可聚类的嵌入。</translation>
    </message>
    <message>
        <source>eps %1 · k %2 · %3 of %4 units have k neighbours within it. Drag the line to the bend.</source>
        <translation>eps %1 · k %2 · %4 个单元中 %3 个在其内有 k 个邻居。请把线拖到拐弯处。</translation>
    </message>
    <message>
        <source>No distances.</source>
        <translation>没有距离。</translation>
    </message>
    <message>
        <source>Each point&apos;s distance to its k-th neighbour, ascending. A radius at the bend separates clusters from noise.</source>
        <translation>每个点到第 k 个近邻的距离，升序；取拐点处的半径可分开聚类与噪声。</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalysisPlot</name>
    <message>
        <source>Values under the pointer</source>
        <translation>指针处的数值</translation>
    </message>
</context>
<context>
    <name>peakscope::DataTableView</name>
    <message>
        <source>Nothing to list yet.</source>
        <translation>暂无内容。</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter the rows</source>
        <translation>筛选表格行</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the selected rows, or all, with exact values (%1)</source>
        <translation>复制选中的行（未选则全部），数值精确（%1）</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Save this table</source>
        <translation>保存此表</translation>
    </message>
    <message>
        <source>No row matches the filter.</source>
        <translation>没有符合筛选条件的行。</translation>
    </message>
    <message>
        <source>Rows: %1</source>
        <translation>行数：%1</translation>
    </message>
    <message>
        <source>Rows: %1 of %2</source>
        <translation>行数：%1 / %2</translation>
    </message>
    <message>
        <source>Selected only</source>
        <translation>仅显示所选</translation>
    </message>
    <message>
        <source>Show the selected rows alone</source>
        <translation>只显示选中的行</translation>
    </message>
</context>
<context>
    <name>peakscope::DockHandle</name>
    <message>
        <source>Drag to move this panel, double click to give it the whole page; View &gt; Restore the default layout puts it back</source>
        <translation>拖动可移动此面板，双击可让它占满整页；“视图 &gt; 恢复默认布局”可还原</translation>
    </message>
</context>
<context>
    <name>peakscope::ExperimentForm</name>
    <message>
        <source>Attacks</source>
        <translation>攻击</translation>
    </message>
    <message>
        <source>Scores of a sample that are used for membership inference.</source>
        <translation>成员推断所用的样本得分。</translation>
    </message>
    <message>
        <source>zlib</source>
        <translation>zlib</translation>
    </message>
    <message>
        <source>Noise σ</source>
        <translation>噪声 σ</translation>
    </message>
    <message>
        <source>σ is</source>
        <translation>σ 的含义</translation>
    </message>
    <message>
        <source>Relative noise is a share of the root mean square of the weights.</source>
        <translation>相对噪声是权重均方根的一个比例。</translation>
    </message>
    <message>
        <source>Noise seeds</source>
        <translation>噪声种子数</translation>
    </message>
    <message>
        <source>Number of noise draws at every scale; statistical tests need 2 or more.</source>
        <translation>每个尺度的噪声抽取次数；统计检验需要 2 次以上。</translation>
    </message>
    <message>
        <source>Base epochs</source>
        <translation>基础训练轮数</translation>
    </message>
    <message>
        <source>Epochs of training on the base text, for random weights.</source>
        <translation>随机权重先在基础文本上训练的轮数。</translation>
    </message>
    <message>
        <source>Fine-tuning epochs</source>
        <translation>微调轮数</translation>
    </message>
    <message>
        <source>Epochs of fine-tuning on the members, which the model may memorise.</source>
        <translation>在成员样本上微调的轮数，模型可能记住它们。</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>成员</translation>
    </message>
    <message>
        <source>Number of samples to fine-tune on. 0: half of all samples, or 512 built-in records.</source>
        <translation>用于微调的样本数。0 表示全部样本的一半，内置记录为 512。</translation>
    </message>
    <message>
        <source>Attacked</source>
        <translation>受攻击样本</translation>
    </message>
    <message>
        <source>Number of members that are attacked, with as many non-members. 0: all, at most 1000.</source>
        <translation>被攻击的成员数，另取同样多的非成员。0 表示全部，最多 1000。</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>评估样本</translation>
    </message>
    <message>
        <source>Number of samples for the perplexity. 0: at most 256.</source>
        <translation>计算困惑度的样本数。0 表示最多 256。</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Lines of a text, or rows of tokens; auto takes lines if all fit into a row.</source>
        <translation>文本的行，或词元的行；若每行文本都放得下，auto 取文本行。</translation>
    </message>
    <message>
        <source>Unit that is assigned to Wfunc, Wsens or Wboth.</source>
        <translation>划入 Wfunc、Wsens 或 Wboth 的单元。</translation>
    </message>
    <message>
        <source>Small noise</source>
        <translation>小噪声</translation>
    </message>
    <message>
        <source>Compares the change of the loss under small noise with the Hessian's trace.</source>
        <translation>比较小噪声下损失的变化与 Hessian 的迹。</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Synthetic values come from a formula, to show the figures; nothing is measured.</source>
        <translation>合成值由公式生成，用于展示图形；不做任何测量。</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>something is missing</source>
        <translation>缺少内容</translation>
    </message>
    <message>
        <source>own %1</source>
        <translation>自定义 %1</translation>
    </message>
    <message>
        <source>batch %1 × %2</source>
        <translation>批 %1 × %2</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>A model of the catalogue, by its id.</source>
        <translation>目录中的模型，按 ID 选择。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>A folder with config.json and model.safetensors or pytorch_model.bin, as Hugging Face's library saves it.</source>
        <translation>含有 config.json 以及 model.safetensors 或 pytorch_model.bin 的文件夹，由 Hugging Face 的库保存。</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>系列</translation>
    </message>
    <message>
        <source>The architecture of the model.</source>
        <translation>模型的架构。</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Number of transformer layers.</source>
        <translation>Transformer 层的数量。</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Width of the residual stream.</source>
        <translation>残差流的宽度。</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Attention heads; they divide the width.</source>
        <translation>注意力头数；须整除隐藏维度。</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV 头数</translation>
    </message>
    <message>
        <source>Key and value heads (grouped-query attention). Empty: as many as heads.</source>
        <translation>键和值的头数（分组查询注意力）。留空则与注意力头数相同。</translation>
    </message>
    <message>
        <source>as heads</source>
        <translation>与头数相同</translation>
    </message>
    <message>
        <source>Feed-forward</source>
        <translation>前馈维度</translation>
    </message>
    <message>
        <source>Inner width of the feed-forward block.</source>
        <translation>前馈块的内部宽度。</translation>
    </message>
    <message>
        <source>as the family does</source>
        <translation>按系列默认</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Number of tokens.</source>
        <translation>词元的数量。</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>位置数</translation>
    </message>
    <message>
        <source>Longest sequence that the model was made for.</source>
        <translation>模型设计时的最长序列。</translation>
    </message>
    <message>
        <source>Tied head</source>
        <translation>共享输出头</translation>
    </message>
    <message>
        <source>Whether the head shares the embedding's weights.</source>
        <translation>输出头是否与嵌入共享权重。</translation>
    </message>
    <message>
        <source>Head width</source>
        <translation>头宽</translation>
    </message>
    <message>
        <source>Width of one attention head. It is hidden / heads; only families with grouped heads allow another width.</source>
        <translation>单个注意力头的宽度，等于 hidden / heads；只有支持分组头的家族可取其他宽度。</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Activation function of the feed-forward block. Names from Hugging Face configurations are accepted too.</source>
        <translation>前馈块的激活函数。也接受 Hugging Face 配置中的名称。</translation>
    </message>
    <message>
        <source>Norm epsilon</source>
        <translation>归一化 epsilon</translation>
    </message>
    <message>
        <source>Added under the root of every norm.</source>
        <translation>加在每个归一化的根号之下。</translation>
    </message>
    <message>
        <source>Initial deviation</source>
        <translation>初始标准差</translation>
    </message>
    <message>
        <source>Standard deviation of random weights.</source>
        <translation>随机权重的标准差。</translation>
    </message>
    <message>
        <source>Norms first</source>
        <translation>归一化在前</translation>
    </message>
    <message>
        <source>opt: layer norms precede each block; if false, they follow its residual sum, as in OPT-350M.</source>
        <translation>opt：归一化位于每个块之前；为 false 时位于残差求和之后，如 OPT-350M。</translation>
    </message>
    <message>
        <source>Final norm</source>
        <translation>末端归一化</translation>
    </message>
    <message>
        <source>opt: a norm before the head, if norms come first.</source>
        <translation>opt：输出头之前有一个归一化，前提是归一化在前。</translation>
    </message>
    <message>
        <source>Affine norms</source>
        <translation>仿射归一化</translation>
    </message>
    <message>
        <source>opt: norms have weights and biases.</source>
        <translation>opt：归一化带有权重和偏置。</translation>
    </message>
    <message>
        <source>Linear biases</source>
        <translation>线性层偏置</translation>
    </message>
    <message>
        <source>opt: linear layers have biases.</source>
        <translation>opt：线性层带有偏置。</translation>
    </message>
    <message>
        <source>Embedding width</source>
        <translation>嵌入宽度</translation>
    </message>
    <message>
        <source>opt: width of the token embedding. If it is not hidden, a projection follows it and another precedes the head.</source>
        <translation>opt：词元嵌入的宽度；与隐藏维度不同时，其后和输出头之前各有一个投影。</translation>
    </message>
    <message>
        <source>Scaled scores</source>
        <translation>缩放得分</translation>
    </message>
    <message>
        <source>gpt2: attention scores are divided by the root of a head's width.</source>
        <translation>gpt2：注意力得分除以头宽的平方根。</translation>
    </message>
    <message>
        <source>Scores by layer</source>
        <translation>按层缩放得分</translation>
    </message>
    <message>
        <source>gpt2: attention scores are also divided by the layer's number, counted from 1.</source>
        <translation>gpt2：注意力得分还除以层号，从 1 数起。</translation>
    </message>
    <message>
        <source>Local window</source>
        <translation>局部窗口</translation>
    </message>
    <message>
        <source>gpt_neo: size of a local layer's attention window in positions, the current one included.</source>
        <translation>gpt_neo：局部层注意力窗口的位置数，含当前位置。</translation>
    </message>
    <message>
        <source>Layer kinds</source>
        <translation>层的类别</translation>
    </message>
    <message>
        <source>With a window: global or local, one word per layer; a shorter list is repeated.</source>
        <translation>设有窗口时：每层一个词，global 或 local；较短的列表会重复。</translation>
    </message>
    <message>
        <source>Parallel residual</source>
        <translation>并行残差</translation>
    </message>
    <message>
        <source>gpt_neox: attention and feed-forward block read the same input.</source>
        <translation>gpt_neox：注意力与前馈块读取同一输入。</translation>
    </message>
    <message>
        <source>Rotated share</source>
        <translation>旋转比例</translation>
    </message>
    <message>
        <source>gpt_neox and phi3: fraction of a head's width with rotary positions, above 0.</source>
        <translation>gpt_neox 和 phi3：注意力头宽度中使用旋转位置编码的比例，大于 0。</translation>
    </message>
    <message>
        <source>Query biases</source>
        <translation>查询偏置</translation>
    </message>
    <message>
        <source>llama and gpt_neox: the projections of queries, keys and values have biases.</source>
        <translation>llama 和 gpt_neox：查询、键和值的投影带有偏置。</translation>
    </message>
    <message>
        <source>Output biases</source>
        <translation>输出偏置</translation>
    </message>
    <message>
        <source>llama and gpt_neox: attention's output projection has biases.</source>
        <translation>llama 和 gpt_neox：注意力的输出投影带有偏置。</translation>
    </message>
    <message>
        <source>Feed-forward biases</source>
        <translation>前馈偏置</translation>
    </message>
    <message>
        <source>llama and smollm3: the feed-forward block has biases.</source>
        <translation>llama 和 smollm3：前馈块带有偏置。</translation>
    </message>
    <message>
        <source>Attention biases</source>
        <translation>注意力偏置</translation>
    </message>
    <message>
        <source>qwen3, smollm3, olmo2, gemma, gemma2, gemma3, qwen3_moe and gpt_oss: all of attention's projections have biases.</source>
        <translation>qwen3、smollm3、olmo2、gemma、gemma2、gemma3、qwen3_moe 和 gpt_oss：注意力的所有投影都带有偏置。</translation>
    </message>
    <message>
        <source>Sliding window</source>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>llama, qwen3, smollm3, phi3, gemma2, gemma3, mixtral, qwen3_moe and gpt_oss: size of the attention window in positions, the current one included. 0: no window, which gemma3 must have.</source>
        <translation>llama、qwen3、smollm3、phi3、gemma2、gemma3、mixtral、qwen3_moe 和 gpt_oss：注意力窗口的位置数，含当前位置。0 表示不设窗口，而 gemma3 必须设窗口。</translation>
    </message>
    <message>
        <source>Rotary layers</source>
        <translation>旋转层</translation>
    </message>
    <message>
        <source>smollm3: rotary or none, one word per layer; a shorter list is repeated.</source>
        <translation>smollm3：每层一个词，rotary 或 none；较短的列表会重复。</translation>
    </message>
    <message>
        <source>Rotary base</source>
        <translation>旋转基数</translation>
    </message>
    <message>
        <source>Families with rotary positions: the base of their frequencies, above 1.</source>
        <translation>使用旋转位置的家族：其频率的基数，大于 1。</translation>
    </message>
    <message>
        <source>Local rotary base</source>
        <translation>局部旋转基数</translation>
    </message>
    <message>
        <source>gemma3: the base of the frequencies in layers with a window, above 1. These are not stretched.</source>
        <translation>gemma3：带窗口的层所用频率的基数，大于 1。这些频率不拉伸。</translation>
    </message>
    <message>
        <source>Query scalar</source>
        <translation>查询缩放数</translation>
    </message>
    <message>
        <source>gemma2 and gemma3: attention scores are divided by the root of this number, not of a head's width.</source>
        <translation>gemma2 和 gemma3：注意力分数除以此数的平方根，而不是头宽的平方根。</translation>
    </message>
    <message>
        <source>Rotary scaling</source>
        <translation>旋转缩放</translation>
    </message>
    <message>
        <source>Families with rotary positions: how they are stretched for longer sequences.</source>
        <translation>使用旋转位置的家族：旋转位置如何为更长的序列拉伸。</translation>
    </message>
    <message>
        <source>Scaling factor</source>
        <translation>缩放倍数</translation>
    </message>
    <message>
        <source>Factor by which positions are stretched, above 0.</source>
        <translation>位置的拉伸倍数，大于 0。</translation>
    </message>
    <message>
        <source>Original positions</source>
        <translation>原始位置数</translation>
    </message>
    <message>
        <source>All types except linear: the model's context length before scaling.</source>
        <translation>除 linear 外的所有类型：缩放前模型的上下文长度。</translation>
    </message>
    <message>
        <source>Low frequencies</source>
        <translation>低频</translation>
    </message>
    <message>
        <source>llama3: wavelengths above the original positions divided by this are stretched.</source>
        <translation>llama3：波长大于“原始位置数 / 该值”的分量会被拉伸。</translation>
    </message>
    <message>
        <source>High frequencies</source>
        <translation>高频</translation>
    </message>
    <message>
        <source>llama3: wavelengths below the original positions divided by this stay unchanged. Must be above low_freq_factor.</source>
        <translation>llama3：波长小于“原始位置数 / 该值”的分量保持不变。须大于 low_freq_factor。</translation>
    </message>
    <message>
        <source>Attention factor</source>
        <translation>注意力倍数</translation>
    </message>
    <message>
        <source>yarn and longrope: scale of rotated queries and keys. 0: computed from the scaling factor.</source>
        <translation>yarn 和 longrope：旋转后查询和键的缩放系数。0 表示由缩放倍数计算。</translation>
    </message>
    <message>
        <source>Fast rotations</source>
        <translation>快旋转</translation>
    </message>
    <message>
        <source>yarn: dimensions with more rotations than this over the original positions stay unchanged. At least beta_slow.</source>
        <translation>yarn：在原始位置范围内旋转次数多于该值的维度保持不变。不小于 beta_slow。</translation>
    </message>
    <message>
        <source>Slow rotations</source>
        <translation>慢旋转</translation>
    </message>
    <message>
        <source>yarn: dimensions with fewer rotations than this over the original positions are stretched. Above 0.</source>
        <translation>yarn：在原始位置范围内旋转次数少于该值的维度会被拉伸。大于 0。</translation>
    </message>
    <message>
        <source>Rounded range</source>
        <translation>取整范围</translation>
    </message>
    <message>
        <source>yarn: the range of dimensions between the two is rounded outward to integers.</source>
        <translation>yarn：二者之间的维度范围向外取整。</translation>
    </message>
    <message>
        <source>Short factors</source>
        <translation>短序列因子</translation>
    </message>
    <message>
        <source>longrope: what the frequency of each pair is divided by in sequences up to the original positions.</source>
        <translation>longrope：序列不超过原始位置数时，每一对维度的频率所除以的数。</translation>
    </message>
    <message>
        <source>Long factors</source>
        <translation>长序列因子</translation>
    </message>
    <message>
        <source>longrope: what the frequency of each pair is divided by in longer sequences.</source>
        <translation>longrope：序列更长时，每一对维度的频率所除以的数。</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Pretrained weights of the folder or of the Hugging Face cache, or random ones. Both take the same memory.</source>
        <translation>来自文件夹或 Hugging Face 缓存的预训练权重，或随机权重。两者占用的内存相同。</translation>
    </message>
    <message>
        <source>Number type</source>
        <translation>数值类型</translation>
    </message>
    <message>
        <source>Number type of parameters, gradients and optimiser states.</source>
        <translation>参数、梯度和优化器状态的数值类型。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Seed of random weights and of the order of the data.</source>
        <translation>随机权重和数据顺序的随机种子。</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Built-in records, a text file or folder, or rows of token ids in a JSON file.</source>
        <translation>内置记录、文本文件或文件夹，或 JSON 文件中的词元行。</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>The text file or folder, or the JSON file of tokens.</source>
        <translation>文本文件或文件夹，或词元的 JSON 文件。</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>auto: the model folder's own, else bytes; bytes; or a folder with a tokenizer.</source>
        <translation>auto：模型文件夹自带的，否则按字节；bytes：按字节；或含分词器的文件夹。</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Rows of one training step.</source>
        <translation>一个训练步的行数。</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Tokens of one row.</source>
        <translation>每行的词元数。</translation>
    </message>
    <message>
        <source>Rows at once</source>
        <translation>单次行数</translation>
    </message>
    <message>
        <source>Rows of one forward pass (micro-batch), at most the batch; gradients are accumulated. Empty: the whole batch.</source>
        <translation>一次前向的行数（微批），不超过批大小；梯度会累积。留空则为整个批。</translation>
    </message>
    <message>
        <source>whole batch</source>
        <translation>整批</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Optimiser</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Adam and AdamW keep two states for every parameter, RMSprop, Adagrad and Lion one, SGD none. Muon keeps one for each weight matrix of the layers, and AdamW updates the rest. Adafactor keeps a number for each row and column of a matrix. With adamw8bit both have 8 bits. With adamw8bit_embeddings32 those of embeddings stay float32.</source>
        <translation>Adam 和 AdamW 为每个参数保存两个状态，RMSprop、Adagrad 和 Lion 一个，SGD 不保存。Muon 为各层的每个权重矩阵保存一个状态，其余参数由 AdamW 更新。Adafactor 为矩阵的每行和每列各保存一个数。adamw8bit 的两个状态各为 8 位；adamw8bit_embeddings32 对嵌入层保留 float32 状态。</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>更新方式</translation>
    </message>
    <message>
        <source>foreach updates all parameters together and needs temporaries for all of them. With loop, parameters are updated one by one. in_backward updates each parameter during backward and frees its gradient. PyTorch's default, auto, is foreach on a GPU and loop on the CPU.</source>
        <translation>foreach 一次更新所有参数，需要覆盖全部参数的临时张量。loop 逐个参数更新。in_backward 在反向传播中更新每个参数并随即释放其梯度。auto 是 PyTorch 的默认值：GPU 上为 foreach，CPU 上为 loop。</translation>
    </message>
    <message>
        <source>Base weights</source>
        <translation>基座权重</translation>
    </message>
    <message>
        <source>How the linear weights under adapters are stored: nf4 takes 4.5 bits for each, nf4_nested 4.13, int8 8. They are turned into numbers for each product.</source>
        <translation>适配器之下线性层权重的存储方式：nf4 每个 4.5 位，nf4_nested 4.13 位，int8 8 位。每次矩阵乘法时还原为数值。</translation>
    </message>
    <message>
        <source>Weight rounding</source>
        <translation>权重舍入</translation>
    </message>
    <message>
        <source>How a bfloat16 weight takes its update. kahan keeps what rounding lost, in another bfloat16. stochastic rounds up or down at random, right on average.</source>
        <translation>bfloat16 权重如何接受更新。kahan 用另一个 bfloat16 保存舍入丢失的部分。stochastic 随机向上或向下舍入，平均无偏。</translation>
    </message>
    <message>
        <source>float32 masters</source>
        <translation>float32 主权重</translation>
    </message>
    <message>
        <source>Updates float32 copies of 16-bit weights, with float32 states.</source>
        <translation>更新 16 位权重的 float32 副本，优化器状态也为 float32。</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>0 leaves the weights unchanged.</source>
        <translation>0 表示权重保持不变。</translation>
    </message>
    <message>
        <source>Warm-up steps</source>
        <translation>预热步数</translation>
    </message>
    <message>
        <source>Steps before the measured ones, not timed.</source>
        <translation>测量之前的步数，不计时。</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Measured steps.</source>
        <translation>实测的步数。</translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation>梯度检查点</translation>
    </message>
    <message>
        <source>Gradient checkpointing: keeps only each layer's input and recomputes its activations in the backward pass.</source>
        <translation>梯度检查点：只保留每层的输入，在反向中重新计算激活值。</translation>
    </message>
    <message>
        <source>Yes, per layer</source>
        <translation>是，逐层</translation>
    </message>
    <message>
        <source>Autocast</source>
        <translation>自动混合精度</translation>
    </message>
    <message>
        <source>Number type for autocast computation; parameters keep dtype.</source>
        <translation>自动混合精度计算所用的数值类型；参数仍为 dtype。</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>fused and chunked never hold a sequence × sequence matrix; math does.</source>
        <translation>fused 和 chunked 从不保存 序列 × 序列 的矩阵；math 会保存。</translation>
    </message>
    <message>
        <source>Loss head</source>
        <translation>损失头</translation>
    </message>
    <message>
        <source>chunked never holds the logits of the whole batch.</source>
        <translation>chunked 从不保存整批的 logits。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>auto takes the first GPU, else the CPU. With cuda each of several ranks has its own GPU. A name such as dry:CARD simulates a card of the catalogue: memory is measured, nothing is computed.</source>
        <translation>auto 选用第一块 GPU，没有则用 CPU。cuda 让多个 rank 各用一块 GPU。dry:CARD 模拟目录中的一块卡：测量内存，但不做计算。</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>CPU threads. 0: all processors available to this process, divided among the ranks of a machine.</source>
        <translation>CPU 线程数。0 表示本进程可用的全部处理器，由同一机器上的各 rank 平分。</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>内存预算</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Launcher</source>
        <translation>启动前缀</translation>
    </message>
    <message>
        <source>Command prefix that starts the worker on another machine or a cluster: ssh HOST, srun --gpus 1.</source>
        <translation>加在工作进程命令之前的前缀，用于在其他机器或集群上启动：ssh HOST、srun --gpus 1。</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Quantities</source>
        <translation>量</translation>
    </message>
    <message>
        <source>Quantities to compute.</source>
        <translation>要计算的量。</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>How Hessian-vector products are computed. auto takes the method with the least memory, and rows or jets for diagonals; never finite differences.</source>
        <translation>Hessian-向量积的计算方法。auto 选用内存最少的方法，对角元用 rows 或 jets；从不用有限差分。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步长</translation>
    </message>
    <message>
        <source>Diagonal entries</source>
        <translation>对角元素</translation>
    </message>
    <message>
        <source>Entries to compute: all parameters, a sample spread over the tensors, tensors by name, or a list.</source>
        <translation>要计算的对角元：全部参数、分布在各张量中的样本、按名称选的张量，或一个列表。</translation>
    </message>
    <message>
        <source>Sample size</source>
        <translation>样本大小</translation>
    </message>
    <message>
        <source>Number of sampled entries. A larger sample contains every smaller one. Models with fewer entries use all of them.</source>
        <translation>抽样的元素数。较大的样本包含较小的样本。元素更少的模型取全部。</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Tensor and flattened position of every entry: lm_head.weight:17.</source>
        <translation>每个元素的张量和展平位置：lm_head.weight:17。</translation>
    </message>
    <message>
        <source>Probes</source>
        <translation>探针</translation>
    </message>
    <message>
        <source>Largest number of random vectors for trace, blocks and features. The interval narrows with its square root.</source>
        <translation>迹、块和特征所用随机向量的最大个数。区间宽度按其平方根缩小。</translation>
    </message>
    <message>
        <source>Stop at width</source>
        <translation>止于宽度</translation>
    </message>
    <message>
        <source>Stops the trace once its 95 % interval is this wide; 0 uses all probes.</source>
        <translation>迹的 95 % 区间达到此宽度时停止；0 表示用完所有探针。</translation>
    </message>
    <message>
        <source>Eigenvalues</source>
        <translation>特征值</translation>
    </message>
    <message>
        <source>Number of eigenvalues, largest magnitude first.</source>
        <translation>特征值的个数，按绝对值从大到小。</translation>
    </message>
    <message>
        <source>Spectrum steps</source>
        <translation>谱步数</translation>
    </message>
    <message>
        <source>Lanczos steps per probe of the spectrum; more give a finer resolution.</source>
        <translation>谱的每个探针的 Lanczos 步数；越多分辨率越高。</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Unit of a block and of a row of the features.</source>
        <translation>一个块和一行特征对应的单元。</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>memory measures training steps, curvature computes Hessian quantities, and prm measures how noise in each class of weights changes perplexity and attacks.</source>
        <translation>memory 测量训练步，curvature 计算 Hessian 量，prm 测量各类权重加噪声后困惑度和攻击的变化。</translation>
    </message>
    <message>
        <source>curvature</source>
        <translation>曲率</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rank 数</translation>
    </message>
    <message>
        <source>Number of processes that share every step. 0: as many as the launcher starts, or 1 without a launcher. Without a launcher, two or more start on this machine. The batch is the total over all ranks.</source>
        <translation>共同执行每一步的进程数。0：由启动器决定，没有启动器则为 1。没有启动器时，两个及以上的进程在本机启动。批大小为所有 rank 的总和。</translation>
    </message>
    <message>
        <source>Sharding</source>
        <translation>分片</translation>
    </message>
    <message>
        <source>none; required</source>
        <translation>无，必填</translation>
    </message>
    <message>
        <source>pretrained for a folder or an id, else random</source>
        <translation>给出文件夹或 id 时为 pretrained，否则为 random</translation>
    </message>
    <message>
        <source>Clipping</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>How each row's gradient is clipped for DP-SGD: one by one, or by norms computed without the gradients. The method auto plans the fastest way within the budget.</source>
        <translation>按 DP-SGD 的要求裁剪每行的梯度：逐行进行，或不求梯度而只求范数；auto 在预算内规划最快的方式。</translation>
    </message>
    <message>
        <source>Norm bound</source>
        <translation>范数上限</translation>
    </message>
    <message>
        <source>Rows with a longer gradient are scaled down to this.</source>
        <translation>梯度更长的行缩小到此值。</translation>
    </message>
    <message>
        <source>Noise multiplier</source>
        <translation>噪声乘数</translation>
    </message>
    <message>
        <source>Standard deviation of the noise on the sum of clipped gradients, in norm bounds. 0: no noise.</source>
        <translation>加到裁剪后梯度之和上的噪声的标准差，以范数上限为单位。0：无噪声。</translation>
    </message>
    <message>
        <source>Norm precision</source>
        <translation>范数精度</translation>
    </message>
    <message>
        <source>Precision of the matrix products in the norms of rows; tf32 is faster on a GPU.</source>
        <translation>计算各行范数时矩阵乘法的精度；tf32 在 GPU 上更快。</translation>
    </message>
    <message>
        <source>Norm safety</source>
        <translation>范数余量</translation>
    </message>
    <message>
        <source>Safety margin: norms are increased by this fraction before clipping, so that rounding cannot exceed the bound.</source>
        <translation>安全余量：裁剪前把范数放大这一比例，使舍入误差不会超出上界。</translation>
    </message>
    <message>
        <source>0, with tf32 0.01</source>
        <translation>0，tf32 时为 0.01</translation>
    </message>
    <message>
        <source>Delta</source>
        <translation>Delta</translation>
    </message>
    <message>
        <source>Delta of the privacy guarantee: the probability that its epsilon does not hold.</source>
        <translation>隐私保证的 δ：其 ε 不成立的概率。</translation>
    </message>
    <message>
        <source>Poisson sampling</source>
        <translation>泊松抽样</translation>
    </message>
    <message>
        <source>Each row is drawn independently, as privacy accounting assumes.</source>
        <translation>每行独立抽取，与隐私核算的假设一致。</translation>
    </message>
    <message>
        <source>Expected batch</source>
        <translation>期望批大小</translation>
    </message>
    <message>
        <source>Divisor of the sum of clipped gradients; with Poisson sampling, the mean number of rows drawn. 0: the batch.</source>
        <translation>裁剪后梯度之和的除数；泊松采样时为平均抽取的行数。0 表示批大小。</translation>
    </message>
    <message>
        <source>Adapter rank</source>
        <translation>适配器的秩</translation>
    </message>
    <message>
        <source>Rank of LoRA adapters; only they are trained. 0: all weights are trained.</source>
        <translation>LoRA 适配器的秩，只训练适配器。0 表示训练全部权重。</translation>
    </message>
    <message>
        <source>Adapter alpha</source>
        <translation>适配器的 alpha</translation>
    </message>
    <message>
        <source>Adapter outputs are scaled by alpha / rank. Above 0 if there are adapters.</source>
        <translation>适配器的输出按 alpha / 秩缩放。使用适配器时须大于 0。</translation>
    </message>
    <message>
        <source>Adapted projections</source>
        <translation>加适配器的投影</translation>
    </message>
    <message>
        <source>Adapter numbers</source>
        <translation>适配器的数值类型</translation>
    </message>
    <message>
        <source>Number type of adapters. float32 computes adapters of 16-bit weights in float32, as peft does. weights: that of the weights.</source>
        <translation>适配器的数值类型。float32：16 位权重的适配器以 float32 计算，与 peft 相同。weights：与权重的类型相同。</translation>
    </message>
    <message>
        <source>Names of the linear layers that get an adapter.</source>
        <translation>加上适配器的线性层的名称。</translation>
    </message>
    <message>
        <source>Bands</source>
        <translation>附加带</translation>
    </message>
    <message>
        <source>Extra bands in the timeline. Each has a name and a pattern of the modules or operators to count.</source>
        <translation>时间线中的附加色带。每条有一个名称，以及要统计的模块或算子的匹配模式。</translation>
    </message>
    <message>
        <source>The run ends when an allocation would exceed this. The form also accepts sizes such as 2 GiB. 0: no budget.</source>
        <translation>分配将超出此值时运行结束。表单也接受 2 GiB 这样的写法。0 表示没有预算。</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适配预算</translation>
    </message>
    <message>
        <source>Before the run, raises batch, sequence or sample size to the largest that the budget allows.</source>
        <translation>运行前把批大小、序列长度或样本量增大到预算允许的最大值。</translation>
    </message>
    <message>
        <source>Traced</source>
        <translation>跟踪</translation>
    </message>
    <message>
        <source>If false, neither memory nor operators are recorded, so step times have no tracing overhead.</source>
        <translation>为 false 时不记录内存和算子，因此步时间不含跟踪开销。</translation>
    </message>
    <message>
        <source>Largest block that is split</source>
        <translation>可分割的最大块</translation>
    </message>
    <message>
        <source>The CUDA allocator does not split blocks of this size or more. 0: no limit.</source>
        <translation>CUDA 分配器不拆分达到此大小的块。0 表示不限。</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>Expandable segments</source>
        <translation>可扩展段</translation>
    </message>
    <message>
        <source>Segments of the CUDA allocator can grow in place.</source>
        <translation>CUDA 分配器的段可以原地扩展。</translation>
    </message>
    <message>
        <source>Names of tensors; * matches anything.</source>
        <translation>张量名称；* 代表任意内容。</translation>
    </message>
    <message>
        <source>Scales of the noise. 0 is the unchanged model; 0 alone measures the baseline.</source>
        <translation>噪声的尺度。0 是未改动的模型；只给 0 则测量基线。</translation>
    </message>
    <message>
        <source>Wfunc: alignment</source>
        <translation>Wfunc：对齐度</translation>
    </message>
    <message>
        <source>A unit is Wfunc with at least this alignment.</source>
        <translation>对齐度不低于此值的单元为 Wfunc。</translation>
    </message>
    <message>
        <source>Wfunc: sparsity</source>
        <translation>Wfunc：稀疏度</translation>
    </message>
    <message>
        <source>A unit is Wfunc below this sparsity.</source>
        <translation>稀疏度低于此值的单元为 Wfunc。</translation>
    </message>
    <message>
        <source>Wsens: alignment</source>
        <translation>Wsens：对齐度</translation>
    </message>
    <message>
        <source>A unit is Wsens with at most this alignment.</source>
        <translation>对齐度不高于此值的单元为 Wsens。</translation>
    </message>
    <message>
        <source>Wsens: sparsity</source>
        <translation>Wsens：稀疏度</translation>
    </message>
    <message>
        <source>A unit is Wsens from this sparsity on.</source>
        <translation>稀疏度达到此值的单元为 Wsens。</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>epochs</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>CUDA allocator</source>
        <translation>CUDA 分配器</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Score cap</source>
        <translation>分数上限</translation>
    </message>
    <message>
        <source>gemma2: attention scores s become c tanh(s / c), with this c. 0: no cap.</source>
        <translation>gemma2：注意力分数 s 变为 c tanh(s / c)，c 即此数。0 表示不设上限。</translation>
    </message>
    <message>
        <source>Logit cap</source>
        <translation>logits 上限</translation>
    </message>
    <message>
        <source>gemma2 and gemma3: logits z become c tanh(z / c), with this c. 0: no cap.</source>
        <translation>gemma2 和 gemma3：logits z 变为 c tanh(z / c)，c 即此数。0 表示不设上限。</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家数</translation>
    </message>
    <message>
        <source>mixtral, qwen3_moe and gpt_oss: feed-forward nets of a layer, of which each token goes through a few.</source>
        <translation>mixtral、qwen3_moe 和 gpt_oss：每层的前馈网络（专家）数，每个词元只经过其中几个。</translation>
    </message>
    <message>
        <source>Experts per token</source>
        <translation>每词元专家数</translation>
    </message>
    <message>
        <source>mixtral, qwen3_moe and gpt_oss: how many of them a token goes through.</source>
        <translation>mixtral、qwen3_moe 和 gpt_oss：每个词元经过的专家数。</translation>
    </message>
    <message>
        <source>Expert width</source>
        <translation>专家宽度</translation>
    </message>
    <message>
        <source>mixtral, qwen3_moe and gpt_oss: inner width of one of them.</source>
        <translation>mixtral、qwen3_moe 和 gpt_oss：单个专家的内部宽度。</translation>
    </message>
    <message>
        <source>Router loss</source>
        <translation>路由损失</translation>
    </message>
    <message>
        <source>mixtral, qwen3_moe and gpt_oss: coefficient of the routers' load balancing loss in training. 0: no such loss.</source>
        <translation>mixtral、qwen3_moe 和 gpt_oss：训练中路由器负载均衡损失的系数。0 表示没有该损失。</translation>
    </message>
    <message>
        <source>Normed experts</source>
        <translation>专家权重归一</translation>
    </message>
    <message>
        <source>qwen3_moe: the weights of a token's experts are divided by their sum.</source>
        <translation>qwen3_moe：每个词元的专家权重除以它们的和。</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>稠密层</translation>
    </message>
    <message>
        <source>qwen3_moe: experts or dense, one word per layer; a shorter list is repeated.</source>
        <translation>qwen3_moe：每层一个词，experts 或 dense；列表较短时循环使用。</translation>
    </message>
    <message>
        <source>Gate factor</source>
        <translation>门控系数</translation>
    </message>
    <message>
        <source>gpt_oss: the gate is g sigmoid(alpha g), with this alpha.</source>
        <translation>gpt_oss：门控为 g sigmoid(alpha g)，alpha 即此数。</translation>
    </message>
    <message>
        <source>Gate limit</source>
        <translation>门控界限</translation>
    </message>
    <message>
        <source>gpt_oss: what an expert's gate and its other half are clamped to.</source>
        <translation>gpt_oss：专家的门控与另一半被截断到的界限。</translation>
    </message>
    <message>
        <source>What is sharded over ranks. zero1: optimiser states; zero2: also gradients; zero3: also parameters; none: nothing. With fsdp each parameter is sharded by its rows, as by PyTorch's FSDP2.</source>
        <translation>在各 rank 间切分的内容。zero1：优化器状态；zero2：还有梯度；zero3：还有参数；none：不切分。fsdp 切分的内容同 zero3，但像 PyTorch 的 FSDP2 那样按行切分每个参数。</translation>
    </message>
    <message>
        <source>FSDP: gathered as</source>
        <translation>FSDP：收集类型</translation>
    </message>
    <message>
        <source>Number type of gathered parameters, which the model computes with. auto: bfloat16 for float32 weights.</source>
        <translation>收集后参数的数值类型，模型以此计算。auto：float32 权重用 bfloat16。</translation>
    </message>
    <message>
        <source>FSDP: summed as</source>
        <translation>FSDP：求和类型</translation>
    </message>
    <message>
        <source>Number type in which gradients are summed over ranks. auto: float32, for float64 weights float64.</source>
        <translation>各 rank 间对梯度求和所用的数值类型。auto：float32；float64 权重用 float64。</translation>
    </message>
    <message>
        <source>FSDP: reshard</source>
        <translation>FSDP：重新切分</translation>
    </message>
    <message>
        <source>Releases a layer's parameters after its forward pass and gathers them again for backward.</source>
        <translation>一层前向之后释放其参数，反向时再次收集。</translation>
    </message>
    <message>
        <source>FSDP: prefetch</source>
        <translation>FSDP：预取</translation>
    </message>
    <message>
        <source>Gathers the next layer while one computes. On devices only.</source>
        <translation>在计算一层时收集下一层。仅在设备上有效。</translation>
    </message>
    <message>
        <source>Routing</source>
        <translation>路由</translation>
    </message>
    <message>
        <source>How plans and dry runs spread the tokens over a mixture's experts: evenly, or all to the same ones.</source>
        <translation>规划和空跑如何把词元分配给混合专家：平均分配，或全部进入相同的专家。</translation>
    </message>
    <message>
        <source>Step of finite differences, relative to weights and vector. 0: chosen from the number type and one exact product.</source>
        <translation>有限差分的步长，相对于权重和向量。0 表示按数值类型和一次精确乘积选取。</translation>
    </message>
</context>
<context>
    <name>peakscope::FormField</name>
    <message>
        <source>%1 has no position; write NAME:INDEX</source>
        <translation>%1 没有位置；请写 NAME:INDEX</translation>
    </message>
    <message>
        <source>%1, wrong: %2</source>
        <translation>%1，有误：%2</translation>
    </message>
</context>
<context>
    <name>peakscope::FormFields</name>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>选择文件夹</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Curvature</source>
        <translation>曲率</translation>
    </message>
    <message>
        <source>Perturbation (PRM)</source>
        <translation>扰动（PRM）</translation>
    </message>
    <message>
        <source>Built-in text</source>
        <translation>内置文本</translation>
    </message>
    <message>
        <source>Text file</source>
        <translation>文本文件</translation>
    </message>
    <message>
        <source>Token file</source>
        <translation>词元文件</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Pretrained</source>
        <translation>预训练</translation>
    </message>
    <message>
        <source>Plain</source>
        <translation>基础</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Fused</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>Chunked</source>
        <translation>分块</translation>
    </message>
    <message>
        <source>Math</source>
        <translation>基本算子</translation>
    </message>
    <message>
        <source>Naive</source>
        <translation>朴素</translation>
    </message>
    <message>
        <source>Per sample</source>
        <translation>逐样本</translation>
    </message>
    <message>
        <source>Microbatch</source>
        <translation>微批</translation>
    </message>
    <message>
        <source>Ghost, book-keeping</source>
        <translation>Ghost，簿记</translation>
    </message>
    <message>
        <source>Flash, book-keeping</source>
        <translation>Flash，簿记</translation>
    </message>
    <message>
        <source>Full precision</source>
        <translation>全精度</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>逐个</translation>
    </message>
    <message>
        <source>In backward</source>
        <translation>反向传播中</translation>
    </message>
    <message>
        <source>Nearest</source>
        <translation>就近</translation>
    </message>
    <message>
        <source>Stochastic</source>
        <translation>随机舍入</translation>
    </message>
    <message>
        <source>Double backward</source>
        <translation>两次反向</translation>
    </message>
    <message>
        <source>Reverse over forward</source>
        <translation>前向之上的反向</translation>
    </message>
    <message>
        <source>Forward over reverse</source>
        <translation>反向之上的前向</translation>
    </message>
    <message>
        <source>Finite difference</source>
        <translation>有限差分</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>抽样</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>文本行</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
</context>
<context>
    <name>peakscope::FormSections</name>
    <message>
        <source>%1 %2</source>
        <comment>a field's title, its value</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>ε %1</source>
        <translation>ε %1</translation>
    </message>
</context>
<context>
    <name>peakscope::LauncherFields</name>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Where the run happens: this machine, or another one reached through a launcher.</source>
        <translation>运行在哪里进行：本机，或经启动器到达的另一台机器。</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>set by the launcher</source>
        <translation>由启动器决定</translation>
    </message>
    <message>
        <source>Manage…</source>
        <translation>管理…</translation>
    </message>
    <message>
        <source>Add, change and test the machines that runs can happen on</source>
        <translation>添加、修改和测试可用于运行的机器</translation>
    </message>
    <message>
        <source>Hosts of a file (mpirun)</source>
        <translation>主机文件（mpirun）</translation>
    </message>
    <message>
        <source>Slurm (srun)</source>
        <translation>Slurm（srun）</translation>
    </message>
    <message>
        <source>Start with</source>
        <translation>启动方式</translation>
    </message>
    <message>
        <source>Fills in ranks and launcher for a usual way to start several processes</source>
        <translation>按常用方式填写 rank 数和启动前缀</translation>
    </message>
</context>
<context>
    <name>peakscope::ModelFields</name>
    <message>
        <source>%1 B parameters</source>
        <translation>%1 B 参数</translation>
    </message>
    <message>
        <source>%1 M parameters</source>
        <translation>%1 M 参数</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 个参数</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>From the catalogue</source>
        <translation>来自目录</translation>
    </message>
    <message>
        <source>Hugging Face folder</source>
        <translation>Hugging Face 文件夹</translation>
    </message>
    <message>
        <source>Own shape</source>
        <translation>自定义结构</translation>
    </message>
    <message>
        <source>folder with config.json</source>
        <translation>含 config.json 的文件夹</translation>
    </message>
    <message>
        <source>As the family does</source>
        <translation>按系列默认</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Where the model comes from</source>
        <translation>模型的来源</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvatureFields</name>
    <message>
        <source>Trace</source>
        <translation>迹</translation>
    </message>
    <message>
        <source>Sum of the diagonal with its 95 % interval, in all and of every tensor.</source>
        <translation>对角线之和及其 95 % 区间，总体以及每个张量。</translation>
    </message>
    <message>
        <source>Top eigenvalues</source>
        <translation>最大特征值</translation>
    </message>
    <message>
        <source>The largest by magnitude, with residuals, by Lanczos.</source>
        <translation>按绝对值最大的特征值及残差，Lanczos 方法。</translation>
    </message>
    <message>
        <source>Spectrum</source>
        <translation>谱</translation>
    </message>
    <message>
        <source>The density of all eigenvalues, by Lanczos quadrature.</source>
        <translation>全部特征值的密度，Lanczos 求积。</translation>
    </message>
    <message>
        <source>Diagonal</source>
        <translation>对角线</translation>
    </message>
    <message>
        <source>Exact entries of the diagonal of the chosen parameters.</source>
        <translation>所选参数的精确对角元素。</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Every block's trace, top eigenvalue and norm, and the mass outside them.</source>
        <translation>每块的迹、最大特征值和范数，以及块外的质量。</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>特征</translation>
    </message>
    <message>
        <source>A table of numbers for every parameter unit, for embedding and clustering.</source>
        <translation>每个参数单元的一行数值，供嵌入与聚类。</translation>
    </message>
    <message>
        <source>GGN diagonal</source>
        <translation>GGN 对角线</translation>
    </message>
    <message>
        <source>Entries of the Gauss-Newton matrix's diagonal.</source>
        <translation>Gauss-Newton 矩阵的对角元素。</translation>
    </message>
    <message>
        <source>Fisher diagonal</source>
        <translation>Fisher 对角线</translation>
    </message>
    <message>
        <source>Entries of the empirical Fisher matrix's diagonal.</source>
        <translation>经验 Fisher 矩阵的对角元素。</translation>
    </message>
    <message>
        <source>KFAC factors</source>
        <translation>KFAC 因子</translation>
    </message>
    <message>
        <source>Kronecker factors of every linear layer.</source>
        <translation>每个线性层的 Kronecker 因子。</translation>
    </message>
    <message>
        <source>L-BFGS</source>
        <translation>L-BFGS</translation>
    </message>
    <message>
        <source>An approximation from gradient pairs, compared with exact products.</source>
        <translation>由梯度对得到的近似，与精确乘积对照。</translation>
    </message>
    <message>
        <source>Full matrix</source>
        <translation>完整矩阵</translation>
    </message>
    <message>
        <source>The whole matrix and all its eigenvalues; small models only.</source>
        <translation>整个矩阵及其全部特征值；仅限小模型。</translation>
    </message>
    <message>
        <source>Curvature</source>
        <translation>曲率</translation>
    </message>
    <message>
        <source>Go on after an interruption</source>
        <translation>中断后继续</translation>
    </message>
    <message>
        <source>Resumes an interrupted run of the same experiment on this machine, with the same numbers as an uninterrupted run. Off: starts anew.</source>
        <translation>从本机上同一实验被中断的运行继续，数值与未中断时相同。关闭：重新开始。</translation>
    </message>
</context>
<context>
    <name>peakscope::PerturbationFields</name>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Mean log-likelihood of its tokens.</source>
        <translation>样本各词元的平均对数似然。</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考</translation>
    </message>
    <message>
        <source>Mean log-likelihood less that of the base model.</source>
        <translation>平均对数似然减去基础模型的平均对数似然。</translation>
    </message>
    <message>
        <source>zlib</source>
        <translation>zlib</translation>
    </message>
    <message>
        <source>Mean log-likelihood divided by the zlib-compressed size of the text.</source>
        <translation>平均对数似然除以文本经 zlib 压缩后的字节数。</translation>
    </message>
    <message>
        <source>Min-K %</source>
        <translation>Min-K %</translation>
    </message>
    <message>
        <source>Mean of the lowest 20 % of its tokens' log-probabilities.</source>
        <translation>词元对数概率最低的 20 % 的平均值。</translation>
    </message>
    <message>
        <source>Min-K %++</source>
        <translation>Min-K %++</translation>
    </message>
    <message>
        <source>The same, with log-probabilities standardised over the vocabulary.</source>
        <translation>同上，但对数概率按词表标准化。</translation>
    </message>
    <message>
        <source>Noise and attacks</source>
        <translation>噪声与攻击</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>相对</translation>
    </message>
    <message>
        <source>absolute</source>
        <translation>绝对</translation>
    </message>
    <message>
        <source>checked</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>not checked</source>
        <translation>不检查</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
</context>
<context>
    <name>peakscope::ExportDialog</name>
    <message>
        <source>the steps</source>
        <translation>训练步</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>as in the plot</source>
        <translation>与图中所见相同</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Which part of a timeline is drawn</source>
        <translation>绘制时间线的哪一部分</translation>
    </message>
    <message>
        <source>Which of the figure's panels are drawn; each keeps its letter</source>
        <translation>绘制图中的哪些子图；每个子图保留自己的字母</translation>
    </message>
    <message>
        <source> mm</source>
        <translation> 毫米</translation>
    </message>
    <message>
        <source>that of the page</source>
        <translation>页面的高度</translation>
    </message>
    <message>
        <source>Largest page height; further panels go to more pages of a PDF</source>
        <translation>页面的最大高度；放不下的子图放到 PDF 的后续页</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>子图</translation>
    </message>
    <message>
        <source>Greatest height</source>
        <translation>最大高度</translation>
    </message>
    <message>
        <source>one only</source>
        <translation>只有一个</translation>
    </message>
    <message>
        <source>all: %1</source>
        <translation>全部：%1</translation>
    </message>
    <message>
        <source>, %1 pages as PDF</source>
        <translation>，PDF 共 %1 页</translation>
    </message>
    <message>
        <source>Export a figure</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>Preview of the figure</source>
        <translation>图的预览</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>尺寸</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Copy data</source>
        <translation>复制数据</translation>
    </message>
    <message>
        <source>The numbers behind the figure, as CSV</source>
        <translation>图背后的数值，CSV 格式</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>This result holds nothing that a figure could show.</source>
        <translation>此结果没有可供绘图的内容。</translation>
    </message>
    <message>
        <source>%1 × %2 mm</source>
        <translation>%1 × %2 mm</translation>
    </message>
    <message>
        <source>Save the figure</source>
        <translation>保存图</translation>
    </message>
    <message>
        <source>Figures (*.%1)</source>
        <translation>图 (*.%1)</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>另存到别处…</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>To the board</source>
        <translation>加入图板</translation>
    </message>
    <message>
        <source>Add it to a page with other figures</source>
        <translation>与其他图放在同一页上</translation>
    </message>
    <message>
        <source>that of the window</source>
        <translation>与窗口相同</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Caption in a file</source>
        <translation>图注写入文件</translation>
    </message>
    <message>
        <source>The text at the head of the figure goes into a file beside it, in both languages</source>
        <translation>图首的说明改写入旁边的文本文件，中英文各一份</translation>
    </message>
</context>
<context>
    <name>peakscope::FigureText</name>
    <message>
        <source>All %1 steps</source>
        <translation>全部 %1 步</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%2 步中的 %1 步</translation>
    </message>
    <message>
        <source>The only step</source>
        <translation>唯一的一步</translation>
    </message>
    <message>
        <source>at their ends</source>
        <translation>各自结束时</translation>
    </message>
    <message>
        <source>at their peaks</source>
        <translation>各自峰值时</translation>
    </message>
    <message>
        <source>the program's start and end are left out</source>
        <translation>略去程序的开头和结尾</translation>
    </message>
    <message>
        <source>the program's start is left out</source>
        <translation>略去程序的开头</translation>
    </message>
    <message>
        <source>the program's end is left out</source>
        <translation>略去程序的结尾</translation>
    </message>
    <message>
        <source>%1 to %2 of %3</source>
        <comment>times</comment>
        <translation>%1 至 %2，共 %3</translation>
    </message>
    <message>
        <source>events %1 to %2 of %3</source>
        <translation>事件 %1 至 %2，共 %3</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <comment>panel, bar: its number</comment>
        <translation>%1，%2：%3</translation>
    </message>
    <message>
        <source>No times: a dry run computes nothing</source>
        <translation>没有时间：空跑不做计算</translation>
    </message>
    <message>
        <source>No times of operators were recorded</source>
        <translation>未记录算子的时间</translation>
    </message>
    <message>
        <source>bound of %1: parameters, gradients and states, %2</source>
        <translation>%1 的下界：参数、梯度与状态，%2</translation>
    </message>
    <message>
        <source>Stages as recorded</source>
        <translation>按记录的阶段</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>Sums by strategy</source>
        <translation>各策略的总和</translation>
    </message>
    <message>
        <source>Memory (logarithmic)</source>
        <translation>内存（对数）</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>memory, strategy</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1: what the sums are of</source>
        <translation>%1：总和的组成</translation>
    </message>
    <message>
        <source>%1, beyond this axis</source>
        <translation>%1，超出坐标轴</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>sums by a rule of thumb of the script, not measured</source>
        <translation>脚本按经验法则求和，并非测量值</translation>
    </message>
    <message>
        <source>Memory of a Hessian</source>
        <translation>Hessian 的内存</translation>
    </message>
    <message>
        <source>Hook increases, forward / backward</source>
        <translation>钩子间的增量，前向/反向</translation>
    </message>
    <message>
        <source>Sum of the increases between hooks (%1)</source>
        <translation>钩子间增量之和（%1）</translation>
    </message>
    <message>
        <source>Stages as recorded, and the script&apos;s estimates</source>
        <translation>各阶段记录值与脚本的估计</translation>
    </message>
    <message>
        <source>Forward: increase between hooks</source>
        <translation>前向：钩子间的增量</translation>
    </message>
    <message>
        <source>Backward: increase between hooks</source>
        <translation>反向：钩子间的增量</translation>
    </message>
    <message>
        <source>Recorded by stage</source>
        <translation>按阶段记录</translation>
    </message>
    <message>
        <source>Hollow: estimate of the script, not measured</source>
        <translation>空心：脚本的估计，并非测量</translation>
    </message>
    <message>
        <source>in order: no times were recorded</source>
        <translation>按先后顺序：未记录时间</translation>
    </message>
    <message>
        <source>Time since the first snapshot (%1)</source>
        <translation>距第一个快照的时间（%1）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>run: panel</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>%1: next page</source>
        <comment>panels</comment>
        <translation>%1：见下一页</translation>
    </message>
    <message>
        <source>Not shown: %1 (--panels %2)</source>
        <translation>未显示：%1（--panels %2）</translation>
    </message>
    <message>
        <source>Not shown: %1</source>
        <translation>未显示：%1</translation>
    </message>
    <message>
        <source>UMAP 1 (no unit)</source>
        <translation>UMAP 1（无单位）</translation>
    </message>
    <message>
        <source>UMAP 2 (no unit)</source>
        <translation>UMAP 2（无单位）</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 个单元</translation>
    </message>
    <message>
        <source>trustworthiness %1</source>
        <translation>可信度 %1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>class (units)</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>clusters: %1</source>
        <translation>簇数：%1</translation>
    </message>
    <message>
        <source>noise points: %1</source>
        <translation>噪声点：%1</translation>
    </message>
    <message>
        <source>%1 without a place</source>
        <translation>%1 个没有位置</translation>
    </message>
    <message>
        <source>silhouette %1 (from the file)</source>
        <translation>轮廓系数 %1（来自文件）</translation>
    </message>
    <message>
        <source>silhouette %1 (noise left out)</source>
        <translation>轮廓系数 %1（不含噪声点）</translation>
    </message>
    <message>
        <source>silhouette not computed</source>
        <translation>未计算轮廓系数</translation>
    </message>
    <message>
        <source>Units (count)</source>
        <translation>单元（个）</translation>
    </message>
    <message>
        <source>%1 more</source>
        <comment>clusters</comment>
        <translation>其余 %1 个</translation>
    </message>
    <message>
        <source>and %1 more clusters</source>
        <translation>及其余 %1 个簇</translation>
    </message>
    <message>
        <source>Clusters in the embedding</source>
        <translation>嵌入中的簇</translation>
    </message>
    <message>
        <source>Units of each class</source>
        <translation>各类的单元</translation>
    </message>
    <message>
        <source>Classes of the clusters</source>
        <translation>各簇的类别</translation>
    </message>
    <message>
        <source>Noise σ (0, then logarithmic)</source>
        <translation>噪声 σ（0，其后为对数）</translation>
    </message>
    <message>
        <source>perplexity without noise %1</source>
        <translation>无噪声时困惑度 %1</translation>
    </message>
    <message>
        <source>%1 drawings of noise each</source>
        <translation>各抽取 %1 次噪声</translation>
    </message>
    <message>
        <source>bands: 95 % intervals</source>
        <translation>色带：95 % 区间</translation>
    </message>
    <message>
        <source>one draw each: no intervals</source>
        <translation>每项只抽取一次：没有区间</translation>
    </message>
    <message>
        <source>no attack was run</source>
        <translation>未运行攻击</translation>
    </message>
    <message>
        <source>Function: perplexity</source>
        <translation>功能：困惑度</translation>
    </message>
    <message>
        <source>Privacy: AUC of %1</source>
        <translation>隐私：%1 的 AUC</translation>
    </message>
    <message>
        <source>class less its random control of equal size, 95 % intervals</source>
        <translation>类别减去等大小的随机对照组，95 % 区间</translation>
    </message>
    <message>
        <source>g: Hedges' g</source>
        <translation>g：Hedges g</translation>
    </message>
    <message>
        <source>*: below 0.05 after Holm's correction</source>
        <translation>*：Holm 校正后低于 0.05</translation>
    </message>
    <message>
        <source>no random control in this file: changes from no noise, not tested</source>
        <translation>此文件没有随机对照组：相对于无噪声的变化，未作检验</translation>
    </message>
    <message>
        <source>Δ%1, class less control</source>
        <comment>measure</comment>
        <translation>Δ%1，类别减对照</translation>
    </message>
    <message>
        <source>Δ%1 from no noise</source>
        <comment>measure</comment>
        <translation>Δ%1，相对于无噪声</translation>
    </message>
    <message>
        <source>All effects (Hedges' g, by class and σ)</source>
        <translation>全部效应（Hedges g，按类别与 σ）</translation>
    </message>
    <message>
        <source>Alignment (0 to 1)</source>
        <translation>对齐度（0 到 1）</translation>
    </message>
    <message>
        <source>Sparsity (0 to 1)</source>
        <translation>稀疏度（0 到 1）</translation>
    </message>
    <message>
        <source>less function, more leakage</source>
        <translation>功能更弱，泄露更多</translation>
    </message>
    <message>
        <source>less function, less leakage</source>
        <translation>功能更弱，泄露更少</translation>
    </message>
    <message>
        <source>more function, more leakage</source>
        <translation>功能更强，泄露更多</translation>
    </message>
    <message>
        <source>more function, less leakage</source>
        <translation>功能更强，泄露更少</translation>
    </message>
    <message>
        <source>Wfunc: alignment ≥ %1, sparsity &lt; %2</source>
        <translation>Wfunc：对齐度 ≥ %1，稀疏度 &lt; %2</translation>
    </message>
    <message>
        <source>Wsens: alignment ≤ %1, sparsity ≥ %2</source>
        <translation>Wsens：对齐度 ≤ %1，稀疏度 ≥ %2</translation>
    </message>
    <message>
        <source>else Wboth</source>
        <translation>其余为 Wboth</translation>
    </message>
    <message>
        <source>larger markers: more noise</source>
        <translation>标记越大噪声越强</translation>
    </message>
    <message>
        <source>units: %1</source>
        <translation>单元：%1</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Answers to noise (AUC of %1)</source>
        <translation>对噪声的响应（%1 的 AUC）</translation>
    </message>
    <message>
        <source>Memory (%1)</source>
        <translation>内存（%1）</translation>
    </message>
    <message>
        <source>&lt;1 %</source>
        <translation>&lt;1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>size, share</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>By kind of module</source>
        <translation>按模块类型</translation>
    </message>
    <message>
        <source>Other modules</source>
        <translation>其他模块</translation>
    </message>
    <message>
        <source>Sum of the modules' maxima (%1)</source>
        <translation>各模块最大值之和（%1）</translation>
    </message>
    <message>
        <source>Peak of each phase</source>
        <translation>各阶段的峰值</translation>
    </message>
    <message>
        <source>Activations by layer</source>
        <translation>各层的激活值</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Detailed memory analysis</source>
        <translation>内存详细分析</translation>
    </message>
    <message>
        <source>Memory against time</source>
        <translation>内存与时间</translation>
    </message>
    <message>
        <source>Memory heat map</source>
        <translation>内存热图</translation>
    </message>
    <message>
        <source>Memory overview</source>
        <translation>内存总览</translation>
    </message>
    <message>
        <source>Hessian spectrum</source>
        <translation>Hessian 谱</translation>
    </message>
    <message>
        <source>Hessian histogram</source>
        <translation>Hessian 直方图</translation>
    </message>
    <message>
        <source>UMAP of parameter units</source>
        <translation>参数单元的 UMAP</translation>
    </message>
    <message>
        <source>Parameter clusters</source>
        <translation>参数聚类</translation>
    </message>
    <message>
        <source>Perturbation phase diagram</source>
        <translation>扰动相图</translation>
    </message>
    <message>
        <source>Noise response</source>
        <translation>噪声响应</translation>
    </message>
    <message>
        <source>Statistical summary</source>
        <translation>统计摘要</translation>
    </message>
    <message>
        <source>Strategies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Capacity map</source>
        <translation>容量图</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>figure title: run</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Made by %1 from the runs %2</source>
        <translation>由 %1 根据运行 %2 生成</translation>
    </message>
    <message>
        <source>%1 (first of %2 runs)</source>
        <translation>%1（共 %2 次运行中的第一次）</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>%1, %2 layers × %3</source>
        <translation>%1，%2 层 × %3</translation>
    </message>
    <message>
        <source>%1 (run %2)</source>
        <translation>%1（运行 %2）</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成数据</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>over budget</source>
        <translation>超出预算</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>%1 predicted</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>最多 %1</translation>
    </message>
    <message>
        <source>Each component's own maximum</source>
        <translation>各组成部分自身的最大值</translation>
    </message>
    <message>
        <source>Own maxima, runs A to %1 from above</source>
        <translation>各自最大值，自上而下为运行 A 至 %1</translation>
    </message>
    <message>
        <source>Beyond run A, at the peak</source>
        <translation>相对运行 A 的增量（峰值时）</translation>
    </message>
    <message>
        <source>Difference in memory (%1)</source>
        <translation>内存差值（%1）</translation>
    </message>
    <message>
        <source>Memory breakdown</source>
        <translation>内存组成对比</translation>
    </message>
    <message>
        <source>Phase: %1</source>
        <translation>阶段：%1</translation>
    </message>
    <message>
        <source>Time (%1)</source>
        <translation>时间（%1）</translation>
    </message>
    <message>
        <source>Memory timeline</source>
        <translation>内存时间线</translation>
    </message>
    <message numerus="yes">
        <source>%n others</source>
        <translation>
            <numerusform>其他 %n 项</numerusform></translation>
    </message>
    <message>
        <source>Operators by allocated memory</source>
        <translation>按分配内存排列的算子</translation>
    </message>
    <message>
        <source>Allocated over all calls (%1)</source>
        <translation>所有调用的分配总量（%1）</translation>
    </message>
    <message>
        <source>Operators by own time</source>
        <translation>按自身耗时排列的算子</translation>
    </message>
    <message>
        <source>Time in all calls (%1)</source>
        <translation>所有调用的耗时（%1）</translation>
    </message>
    <message>
        <source>Memory and time by operator</source>
        <translation>各算子的内存与耗时</translation>
    </message>
    <message>
        <source>Fwd</source>
        <comment>short for forward</comment>
        <translation>前向</translation>
    </message>
    <message>
        <source>Bwd</source>
        <comment>short for backward</comment>
        <translation>反向</translation>
    </message>
    <message>
        <source>Opt</source>
        <comment>short for optimiser step</comment>
        <translation>优化</translation>
    </message>
    <message>
        <source>Set-up</source>
        <comment>short for optimiser set-up</comment>
        <translation>初始化</translation>
    </message>
    <message>
        <source>Eval</source>
        <comment>short for evaluate</comment>
        <translation>评估</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>budget 4.00 GiB</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>planned, at most</source>
        <translation>计划上限</translation>
    </message>
    <message>
        <source>%1 (%2 parameters)</source>
        <translation>%1（%2 参数）</translation>
    </message>
    <message>
        <source>%1, %2 usable</source>
        <translation>%1，可用 %2</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>%1 of %2 strategies</source>
        <translation>%2 个策略中的 %1 个</translation>
    </message>
    <message>
        <source>* not checked against measurements</source>
        <translation>* 尚未用实测验证</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Usable</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>Memory of one device</source>
        <translation>单个设备的内存</translation>
    </message>
    <message>
        <source>Predicted memory (%1)</source>
        <translation>预测内存（%1）</translation>
    </message>
    <message>
        <source>%1 after the step</source>
        <translation>步后 %1</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <comment>memory in time</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 peak</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Beyond run A</source>
        <translation>超出运行 A 的部分</translation>
    </message>
    <message>
        <source>Growth of the peak: %1</source>
        <translation>峰值的增长：%1</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>LoRA rank</source>
        <translation>LoRA 秩</translation>
    </message>
    <message>
        <source>Peak memory (%1)</source>
        <translation>峰值内存（%1）</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Phases, by their snapshots</source>
        <translation>各阶段（快照处）</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Time of a step (%1)</source>
        <translation>每步时间（%1）</translation>
    </message>
    <message>
        <source>Time of a step</source>
        <translation>每步时间</translation>
    </message>
    <message>
        <source>bound: parameters, gradients and states, %1</source>
        <translation>下界：参数、梯度与状态，%1</translation>
    </message>
    <message>
        <source>exponent %1 (95 %: %2 to %3)</source>
        <translation>指数 %1（95 %：%2 至 %3）</translation>
    </message>
    <message>
        <source>exponent %1</source>
        <translation>指数 %1</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>n = %1, %2 % zero, %3 % negative</source>
        <translation>n = %1，%2 % 为零，%3 % 为负</translation>
    </message>
    <message>
        <source>%1: diagonal entries by module kind</source>
        <translation>%1：按模块类型的对角元素</translation>
    </message>
    <message>
        <source>Mean magnitude (logarithmic scale)</source>
        <translation>绝对值均值（对数刻度）</translation>
    </message>
    <message>
        <source>Mean magnitude by layer</source>
        <translation>各层的绝对值均值</translation>
    </message>
    <message>
        <source>Top eigenvalues</source>
        <translation>最大特征值</translation>
    </message>
    <message>
        <source>Density of the spectrum</source>
        <translation>谱密度</translation>
    </message>
    <message>
        <source>Eigenvalue</source>
        <translation>特征值</translation>
    </message>
    <message>
        <source>Density</source>
        <translation>密度</translation>
    </message>
    <message>
        <source>Top %1 of %2 eigenvalues</source>
        <translation>%2 个特征值中最大的 %1 个</translation>
    </message>
    <message>
        <source>Top eigenvalues ± residual</source>
        <translation>最大特征值 ± 残差</translation>
    </message>
    <message>
        <source>Eigenvalue (× %1)</source>
        <translation>特征值（× %1）</translation>
    </message>
    <message>
        <source>%1, runs A to %2 from above</source>
        <translation>%1，自上而下为运行 A 至 %2</translation>
    </message>
    <message>
        <source>All of the Hessian</source>
        <translation>完整 Hessian</translation>
    </message>
    <message>
        <source>Entry (signed logarithmic scale)</source>
        <translation>元素（带符号的对数刻度）</translation>
    </message>
    <message>
        <source>Largest entry of a cell (signed logarithmic scale)</source>
        <translation>格内最大元素（带符号的对数刻度）</translation>
    </message>
    <message>
        <source>Root mean square of a cell (logarithmic scale)</source>
        <translation>格内均方根（对数刻度）</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>class, verdict</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>hypotheses: %1</source>
        <translation>研究假设：%1</translation>
    </message>
    <message>
        <source>peaks %1</source>
        <comment>imbalance of</comment>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>own step times %1</source>
        <comment>imbalance of</comment>
        <translation>自身步时间 %1</translation>
    </message>
    <message>
        <source>Imbalance (largest / mean − 1): %1</source>
        <translation>不均衡度（最大 / 平均 − 1）：%1</translation>
    </message>
    <message>
        <source>Imbalance: %1</source>
        <translation>不均衡度：%1</translation>
    </message>
    <message>
        <source>Communication, waiting included: %1 of the steps</source>
        <translation>通信（含等待）：占步时间的 %1</translation>
    </message>
    <message>
        <source>%1 of %2 ranks are shown</source>
        <translation>显示 %2 个 rank 中的 %1 个</translation>
    </message>
    <message>
        <source>fullest</source>
        <translation>占用最多</translation>
    </message>
    <message>
        <source>slowest</source>
        <translation>最慢</translation>
    </message>
    <message>
        <source>ended early</source>
        <translation>提前结束</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>comm. %1</source>
        <comment>short for communication</comment>
        <translation>通信 %1</translation>
    </message>
    <message>
        <source>no memory record</source>
        <translation>无内存记录</translation>
    </message>
    <message>
        <source>Memory of every rank</source>
        <translation>各进程（rank）的内存</translation>
    </message>
    <message>
        <source>busy machine</source>
        <translation>机器忙</translation>
    </message>
    <message>
        <source>busy machine: other work disturbed its times, which should not be compared</source>
        <translation>机器忙：计时受其他工作干扰，不可比较</translation>
    </message>
    <message>
        <source>Memory trends</source>
        <translation>内存趋势</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting: fit</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>measure, unit</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <comment>measure, key</comment>
        <translation>%1 随 %2</translation>
    </message>
    <message>
        <source>Median peak at each value</source>
        <translation>各取值的峰值中位数</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>key: value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>rows: %1</source>
        <translation>行：%1</translation>
    </message>
    <message>
        <source>%1 of %2 points have a peak</source>
        <translation>%2 个点中 %1 个有峰值</translation>
    </message>
    <message>
        <source>the %1 with the highest peaks</source>
        <translation>峰值最高的 %1 个</translation>
    </message>
    <message>
        <source>some times are of a busy machine</source>
        <translation>部分时间测自繁忙的机器</translation>
    </message>
    <message>
        <source>lines: %1</source>
        <translation>线：%1</translation>
    </message>
    <message>
        <source>when the file was written</source>
        <translation>写入文件时</translation>
    </message>
    <message>
        <source>after event %1</source>
        <translation>事件 %1 之后</translation>
    </message>
    <message>
        <source>after event %1, in step %2</source>
        <translation>事件 %1 之后，第 %2 步</translation>
    </message>
    <message>
        <source>%1 requested by %2 blocks</source>
        <translation>%2 个块共申请 %1</translation>
    </message>
    <message>
        <source>history cut: at least</source>
        <translation>历史被截断：至少</translation>
    </message>
    <message>
        <source>components inferred</source>
        <translation>组成部分为推断</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Who holds the memory</source>
        <translation>谁占用内存</translation>
    </message>
    <message>
        <source>Memory by stack</source>
        <translation>按调用栈的内存</translation>
    </message>
    <message>
        <source>Segments of the allocator</source>
        <translation>分配器的段</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 项</translation>
    </message>
    <message>
        <source>Difference (%1)</source>
        <translation>差值（%1）</translation>
    </message>
    <message>
        <source>nothing differs</source>
        <translation>没有差异</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>A: %1, %2</source>
        <translation>A：%1，%2</translation>
    </message>
    <message>
        <source>B: %1, %2</source>
        <translation>B：%1，%2</translation>
    </message>
    <message>
        <source>B − A: %1 requested</source>
        <translation>B − A：申请 %1</translation>
    </message>
    <message>
        <source>By line</source>
        <translation>按代码行</translation>
    </message>
    <message>
        <source>By component</source>
        <translation>按组成部分</translation>
    </message>
    <message>
        <source>What differs between two snapshots</source>
        <translation>两个快照的差异</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>空跑</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>the end of a sentence</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between parts of a caption</comment>
        <translation>；</translation>
    </message>
    <message>
        <source>Expert loads</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>slowest without communication: rank %1</source>
        <translation>不计通信最慢：rank %1</translation>
    </message>
    <message>
        <source>batch %1 × %2 tokens</source>
        <translation>批量 %1 × %2 个 token</translation>
    </message>
    <message>
        <source>batch %1</source>
        <translation>批量 %1</translation>
    </message>
    <message>
        <source>%1 tokens a row</source>
        <translation>每行 %1 个 token</translation>
    </message>
    <message>
        <source>classes by rank: no thresholds</source>
        <translation>按名次划分类别：没有阈值</translation>
    </message>
    <message>
        <source>bands that touch the frame go on beyond it</source>
        <translation>触及边框的带延伸到边框之外</translation>
    </message>
</context>
<context>
    <name>peakscope::InspectorContent</name>
    <message>
        <source>Reserved in a dry run</source>
        <translation>空跑时的保留</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>by name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>The file does not record which came first.</source>
        <translation>文件没有记录先后。</translation>
    </message>
    <message>
        <source>Highest until then</source>
        <translation>截至当时的最高值</translation>
    </message>
    <message>
        <source>As the snapshot recorded it.</source>
        <translation>由该快照记录。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Most bytes alive at one time, counted at every allocation and free.</source>
        <translation>同一时刻存活字节数的最大值，在每次分配和释放时计数。</translation>
    </message>
    <message>
        <source>As recorded in the file, which holds no single allocations to count.</source>
        <translation>按文件中的记录；其中没有可逐个统计的分配。</translation>
    </message>
    <message>
        <source>Peak reserved</source>
        <translation>保留峰值</translation>
    </message>
    <message>
        <source>Most the allocator had taken from the device.</source>
        <translation>分配器向设备申请的最大量。</translation>
    </message>
    <message>
        <source>Peak resident</source>
        <translation>常驻峰值</translation>
    </message>
    <message>
        <source>Most physical memory of the whole worker process, its program included.</source>
        <translation>整个工作进程（含程序本身）占用物理内存的最大值。</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件数</translation>
    </message>
    <message>
        <source>Merged: exact at the stored times, the peak is kept.</source>
        <translation>已合并：在保存的时刻精确，峰值不变。</translation>
    </message>
    <message>
        <source>Every allocation, free and change of purpose.</source>
        <translation>每次分配、释放和用途变更。</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Median of the measured steps, memory ledger included.</source>
        <translation>实测步的中位数，含内存账本的开销。</translation>
    </message>
    <message>
        <source>Median of the measured steps of %1 rounds, each a run without the memory ledger.</source>
        <translation>%1 轮实测步的中位数，每轮是一次不带内存账本的运行。</translation>
    </message>
    <message>
        <source>Median of the measured steps, without the memory ledger.</source>
        <translation>实测步的中位数，不带内存账本。</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Of the last measured step, before its update.</source>
        <translation>最后一个实测步在更新之前的值。</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>困惑度</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>ε</translation>
    </message>
    <message>
        <source>At delta %1.</source>
        <translation>对应 δ = %1。</translation>
    </message>
    <message>
        <source>Per-sample gradient norm</source>
        <translation>逐样本梯度范数</translation>
    </message>
    <message>
        <source>Median of the last step's rows (%1) before clipping; smallest %2, largest %3.</source>
        <translation>最后一步各行（%1 行）裁剪前的中位数；最小 %2，最大 %3。</translation>
    </message>
    <message>
        <source>Of all parameters together.</source>
        <translation>所有参数合计。</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Training set-up</source>
        <translation>训练设置</translation>
    </message>
    <message>
        <source>Set-up</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>The final numbers appear here when it is done; those so far are in the plots and tables.</source>
        <translation>完成后此处显示最终数值；目前的数值见图和表。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成数据</translation>
    </message>
    <message>
        <source>Made up for a demonstration, not measured.</source>
        <translation>为演示而生成，并非实测。</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>Alive at the moment when the total was highest.</source>
        <translation>总量最高的时刻存活的字节。</translation>
    </message>
    <message>
        <source>Share of the peak</source>
        <translation>占峰值的比例</translation>
    </message>
    <message>
        <source>Own maximum</source>
        <translation>自身最大值</translation>
    </message>
    <message>
        <source>The most this component ever had, at any time.</source>
        <translation>该组成部分在任意时刻的最大值。</translation>
    </message>
    <message>
        <source>Exactly</source>
        <translation>精确值</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Largest sum alive at one time that this module made.</source>
        <translation>该模块产生的激活值同时存活的最大总和。</translation>
    </message>
    <message>
        <source>Largest sum of all live bytes that belong to this module.</source>
        <translation>属于该模块的全部存活字节的最大总和。</translation>
    </message>
    <message>
        <source>Time of the last measured step</source>
        <translation>最后一个实测步的耗时</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Of all its calls in this phase</source>
        <translation>本阶段内的全部调用</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>调用次数</translation>
    </message>
    <message>
        <source>Allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Sum of what its calls allocated.</source>
        <translation>其各次调用分配量之和。</translation>
    </message>
    <message>
        <source>Largest sum of its allocations alive at one time.</source>
        <translation>其分配同时存活的最大总和。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Its own, operators it calls excluded.</source>
        <translation>自身耗时，不含它调用的算子。</translation>
    </message>
    <message>
        <source>At this moment</source>
        <translation>在此时刻</translation>
    </message>
    <message>
        <source>Since the start of the run.</source>
        <translation>自运行开始算起。</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>Range of time</source>
        <translation>时间范围</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Within it</source>
        <translation>范围之内</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Highest total</source>
        <translation>最高总量</translation>
    </message>
    <message>
        <source>Lowest total</source>
        <translation>最低总量</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Live bytes at its end less those at its start.</source>
        <translation>结束时的存活字节减去开始时的存活字节。</translation>
    </message>
    <message>
        <source>At its highest total</source>
        <translation>总量最高时</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>Computed from the model's operators before the run began.</source>
        <translation>运行开始前由模型的算子计算得出。</translation>
    </message>
    <message>
        <source>Measured peak</source>
        <translation>实测峰值</translation>
    </message>
    <message>
        <source>Prediction off by</source>
        <translation>预测偏差</translation>
    </message>
    <message>
        <source>Planned for at most</source>
        <translation>计划上限</translation>
    </message>
    <message>
        <source>The most that the run could take; what it would take was not predicted.</source>
        <translation>本次运行最多可能占用的字节数；实际会占用多少未作预测。</translation>
    </message>
    <message>
        <source>Predicted less measured, as a part of what was measured.</source>
        <translation>预测减实测，占实测的比例。</translation>
    </message>
    <message>
        <source>measured %1</source>
        <translation>实测 %1</translation>
    </message>
    <message>
        <source>Why it ranks here, and what it costs</source>
        <translation>为何排在此处，代价是什么</translation>
    </message>
    <message>
        <source>Predicted, for one device</source>
        <translation>预测，单个设备</translation>
    </message>
    <message>
        <source>Most that is allocated at one time.</source>
        <translation>同时分配的最大值。</translation>
    </message>
    <message>
        <source>What the allocator holds then, its unused blocks included.</source>
        <translation>此时分配器所持有的内存，含未使用的块。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Device memory of a process besides its tensors.</source>
        <translation>进程除张量外占用的设备内存。</translation>
    </message>
    <message>
        <source>Usable</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>缺少</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>A roofline: from the device's bandwidth and peak rates.</source>
        <translation>屋顶线模型：由设备带宽与峰值速率得出。</translation>
    </message>
    <message>
        <source>A closed form that has not been checked against measurements.</source>
        <translation>尚未用实测验证的闭式公式。</translation>
    </message>
    <message>
        <source>At the predicted peak</source>
        <translation>预测峰值时</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>各 rank</translation>
    </message>
    <message>
        <source>Imbalance of peaks</source>
        <translation>峰值不均衡度</translation>
    </message>
    <message>
        <source>The largest peak over the mean, less one.</source>
        <translation>最大峰值除以平均值再减一。</translation>
    </message>
    <message>
        <source>Imbalance of step times</source>
        <translation>步时间不均衡度</translation>
    </message>
    <message>
        <source>The longest step without communication over the mean, less one.</source>
        <translation>最长的步时间（不含通信）除以平均值再减一。</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Share of the steps spent in collectives, waiting for other ranks included.</source>
        <translation>各步用于集合通信的时间占比，包括等待其他 rank 的时间。</translation>
    </message>
    <message>
        <source>Fullest rank</source>
        <translation>占用最多的 rank</translation>
    </message>
    <message>
        <source>Slowest rank</source>
        <translation>最慢的 rank</translation>
    </message>
    <message>
        <source>It spends the most time outside communication: the others wait for it.</source>
        <translation>它在通信之外花的时间最多：其他 rank 都在等它。</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>the fullest rank</source>
        <translation>占用最多的 rank</translation>
    </message>
    <message>
        <source>the slowest rank without communication</source>
        <translation>不计通信最慢的 rank</translation>
    </message>
    <message>
        <source>Median of the measured steps.</source>
        <translation>各测量步的中位数。</translation>
    </message>
    <message>
        <source>Without communication</source>
        <translation>不含通信</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>%1 ×, %2, %3</source>
        <comment>count, bytes, seconds</comment>
        <translation>%1 次，%2，%3</translation>
    </message>
    <message>
        <source>Calls in the measured steps, their payload, and the time in them.</source>
        <translation>测量步中的调用次数、负载字节数和所用时间。</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Curvature set-up</source>
        <translation>曲率设置</translation>
    </message>
    <message>
        <source>Noise and attacks</source>
        <translation>噪声与攻击</translation>
    </message>
    <message>
        <source>CUDA allocator</source>
        <translation>CUDA 分配器</translation>
    </message>
    <message>
        <source>Memory that NCCL may take, as reported by users of other cards; not part of any other number here.</source>
        <translation>NCCL 可能占用的显存，依据其他卡的用户报告；未计入此处其他数值。</translation>
    </message>
    <message>
        <source>NCCL, a margin</source>
        <translation>NCCL（余量）</translation>
    </message>
    <message>
        <source>Includes the libraries' code; from the catalogue.</source>
        <translation>含库代码；取自目录。</translation>
    </message>
    <message>
        <source>CUDA context</source>
        <translation>CUDA 上下文</translation>
    </message>
    <message>
        <source>Outside the allocator</source>
        <translation>分配器之外</translation>
    </message>
    <message>
        <source>As recorded in the file.</source>
        <translation>按文件中的记录。</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>整个运行</translation>
    </message>
    <message>
        <source>Loading the model included.</source>
        <translation>含模型加载。</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Estimates of the file</source>
        <translation>文件中的估计值</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>簇</translation>
    </message>
    <message>
        <source>Without noise.</source>
        <translation>无噪声时。</translation>
    </message>
    <message>
        <source>Other fields</source>
        <translation>其他字段</translation>
    </message>
    <message>
        <source>Varied</source>
        <translation>变化的项</translation>
    </message>
    <message>
        <source>Dry-run peak</source>
        <translation>空跑峰值</translation>
    </message>
    <message>
        <source>From the allocator on the stand-in of the card; not measured.</source>
        <translation>来自该卡替身上的分配器，不是实测值。</translation>
    </message>
    <message>
        <source>dry run %1</source>
        <translation>空跑 %1</translation>
    </message>
    <message>
        <source>as rank %1</source>
        <translation>与 rank %1 相同</translation>
    </message>
    <message>
        <source>%1 ×, %2</source>
        <comment>count, bytes</comment>
        <translation>%1 次，%2</translation>
    </message>
    <message>
        <source>%1, without communication</source>
        <translation>%1（不计通信）</translation>
    </message>
    <message>
        <source>Device name</source>
        <translation>设备名称</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>核心数</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Memory of the machine</source>
        <translation>本机内存</translation>
    </message>
    <message>
        <source>Free at the start</source>
        <translation>开始时可用</translation>
    </message>
</context>
<context>
    <name>peakscope::InspectorPanel</name>
    <message>
        <source>Inspector: values of what is selected</source>
        <translation>检查器：所选内容的数值</translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation>未选择任何内容</translation>
    </message>
    <message>
        <source>Choose a run, a component, a module or a range of time to see its values, what they mean and how they were measured.</source>
        <translation>选择一次运行、一个组成部分、一个模块或一段时间，即可查看其数值、含义和测量方法。</translation>
    </message>
</context>
<context>
    <name>peakscope::LanePlot</name>
    <message>
        <source>Phase: %1</source>
        <translation>阶段：%1</translation>
    </message>
</context>
<context>
    <name>peakscope::LibraryPanel</name>
    <message>
        <source>%1: %2</source>
        <comment>how a run ended, why</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>not run</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>running · %1 left</source>
        <translation>运行中 · 剩余 %1</translation>
    </message>
    <message>
        <source>not there any more</source>
        <translation>已不存在</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>over budget</source>
        <translation>超出预算</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>筛选运行</translation>
    </message>
    <message>
        <source>Filter of the library</source>
        <translation>结果库的筛选</translation>
    </message>
    <message>
        <source>Library of runs and results</source>
        <translation>运行和结果库</translation>
    </message>
    <message>
        <source>Opened runs and results are listed here. Drop a result file anywhere on the window to open it.</source>
        <translation>打开的运行和结果列在这里。把结果文件拖到窗口任意处即可打开。</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>已打开</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>最近的文件</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>从列表中移除</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>All words must occur in name, model, method, status, tags or note; tag:NAME looks in tags</source>
        <translation>名称、模型、方法、状态、标签或备注中须包含所有词；tag:名称 只查标签</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>Highest peak</source>
        <translation>峰值最高</translation>
    </message>
    <message>
        <source>Fastest step</source>
        <translation>步时间最短</translation>
    </message>
    <message>
        <source>By status</source>
        <translation>按状态</translation>
    </message>
    <message>
        <source>Order of the runs</source>
        <translation>运行的排序</translation>
    </message>
    <message>
        <source>In sections</source>
        <translation>按分区</translation>
    </message>
    <message>
        <source>Per model</source>
        <translation>按模型</translation>
    </message>
    <message>
        <source>Per method</source>
        <translation>按方法</translation>
    </message>
    <message>
        <source>Per status</source>
        <translation>按状态</translation>
    </message>
    <message>
        <source>Per tag</source>
        <translation>按标签</translation>
    </message>
    <message>
        <source>Not grouped</source>
        <translation>不分组</translation>
    </message>
    <message>
        <source>How the runs are grouped</source>
        <translation>运行的分组方式</translation>
    </message>
    <message>
        <source>several with commas</source>
        <translation>多个用逗号分隔</translation>
    </message>
    <message>
        <source>Stored beside the results in the library folder, not inside them</source>
        <translation>保存在库文件夹中结果之外，不写入结果文件</translation>
    </message>
    <message>
        <source>Tags of the selected result</source>
        <translation>所选结果的标签</translation>
    </message>
    <message>
        <source>for yourself</source>
        <translation>给自己的备注</translation>
    </message>
    <message>
        <source>Note on the selected result</source>
        <translation>所选结果的备注</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>No run matches the filter.</source>
        <translation>没有符合筛选条件的运行。</translation>
    </message>
    <message>
        <source>Compare the selected runs</source>
        <translation>比较选定的运行</translation>
    </message>
    <message>
        <source>Tags and note…</source>
        <translation>标签与备注…</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>d MMM HH:mm</source>
        <comment>a moment of this year</comment>
        <translation>M月d日 HH:mm</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <comment>a day of another year</comment>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>run of %1</source>
        <translation>%1 的运行</translation>
    </message>
</context>
<context>
    <name>peakscope::MachineMemoryLabel</name>
    <message>
        <source>machine %1 of %2 in use</source>
        <translation>本机已用 %1 / %2</translation>
    </message>
    <message>
        <source>Memory in use on this machine; %1 is available for a run.</source>
        <translation>本机已用内存；可供运行使用 %1。</translation>
    </message>
</context>
<context>
    <name>peakscope::MainWindow</name>
    <message>
        <source>Open &amp;folder…</source>
        <translation>打开文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>Open a folder of results</source>
        <translation>打开结果文件夹</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Open results</source>
        <translation>打开结果</translation>
    </message>
    <message>
        <source>Where runs are saved</source>
        <translation>运行结果的保存位置</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Toolbar</source>
        <translation>工具栏</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>&amp;Library folder…</source>
        <translation>结果库文件夹(&amp;L)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Look at the demo result</source>
        <translation>查看演示结果(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Start page</source>
        <translation>开始页(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Panel on the whole page</source>
        <translation>面板占满整页(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Restore the default layout</source>
        <translation>恢复默认布局(&amp;R)</translation>
    </message>
    <message>
        <source>Tags and notes can't be kept: %1 can't be written.</source>
        <translation>无法保存标签与备注：%1 无法写入。</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
</context>
<context>
    <name>peakscope::Closing</name>
    <message>
        <source>A search for the largest value that fits is under way: closing stops it, and its finished runs are lost (%1).</source>
        <translation>正在查找可容纳的最大值：关闭窗口会停止它，已完成的运行（%1 个）会丢失。</translation>
    </message>
    <message>
        <source>Stopping the run and saving what it found; the window closes in a moment.</source>
        <translation>正在停止运行并保存已有结果；窗口稍后关闭。</translation>
    </message>
    <message>
        <source>“%1” is under way: closing stops it, and what it measured so far is kept.</source>
        <translation>“%1”正在运行：关闭窗口会停止它，已测得的内容会保留。</translation>
    </message>
    <message>
        <source>A sweep is under way: closing stops it, and its finished points are kept.</source>
        <translation>扫描正在进行：关闭窗口会停止它，已完成的点会保留。</translation>
    </message>
    <message>
        <source>A comparison of methods is under way: closing stops it, and its finished runs are kept.</source>
        <translation>方法比较正在进行：关闭窗口会停止它，已完成的运行会保留。</translation>
    </message>
    <message numerus="yes">
        <source>%n more wait in the queue.</source>
        <comment>runs</comment>
        <translation><numerusform>队列中还有 %n 个在等待。</numerusform></translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>停止并关闭</translation>
    </message>
    <message>
        <source>Don&apos;t close</source>
        <translation>不关闭</translation>
    </message>
    <message>
        <source>A dry run of a program is under way: closing stops it; finished results are kept.</source>
        <translation>有程序正在空跑：关闭将停止它；已结束的会保留。</translation>
    </message>
</context>
<context>
    <name>peakscope::ProgramPicture</name>
    <message>
        <source>dry run</source>
        <translation>空跑</translation>
    </message>
</context>
<context>
    <name>peakscope::TimelineEdges</name>
    <message>
        <source>◂ %1 earlier</source>
        <translation>◂ 前面还有 %1</translation>
    </message>
    <message>
        <source>%1 later ▸</source>
        <translation>后面还有 %1 ▸</translation>
    </message>
    <message>
        <source>◂ earlier</source>
        <translation>◂ 前面还有</translation>
    </message>
    <message>
        <source>later ▸</source>
        <translation>后面还有 ▸</translation>
    </message>
    <message>
        <source>Show all (Home)</source>
        <translation>显示全部（Home）</translation>
    </message>
</context>
<context>
    <name>peakscope::MemoryTimelineView</name>
    <message>
        <source>Last steps</source>
        <translation>最近几步</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>内存随时间的变化</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Show the legend with the values at the cursor</source>
        <translation>显示图例及游标处的数值</translation>
    </message>
    <message>
        <source>Set or clear reference</source>
        <translation>设置或清除参考点</translation>
    </message>
    <message>
        <source>Set the reference for comparisons at the cursor (R, or Alt+click)</source>
        <translation>把游标处设为比较的参考点（R，或 Alt+单击）</translation>
    </message>
    <message>
        <source>Go to the peak</source>
        <translation>转到峰值</translation>
    </message>
    <message>
        <source>Put the cursor on the peak (P)</source>
        <translation>把游标放到峰值处（P）</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>整个运行</translation>
    </message>
    <message>
        <source>Last %1</source>
        <translation>最近 %1</translation>
    </message>
    <message>
        <source>How much is followed</source>
        <translation>跟随的长度</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Keep the newest events in view (F)</source>
        <translation>始终显示最新事件（F）</translation>
    </message>
    <message>
        <source>No memory timeline to show yet. Run an experiment or open a result.</source>
        <translation>暂无内存时间线。请运行实验或打开结果。</translation>
    </message>
    <message>
        <source>This result holds no memory events.</source>
        <translation>此结果没有内存事件。</translation>
    </message>
    <message>
        <source>Waiting for the first memory events of the run…</source>
        <translation>正在等待运行的第一批内存事件…</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>The run ended before any memory was recorded.</source>
        <translation>运行在记录到内存之前就结束了。</translation>
    </message>
    <message>
        <source>Now, %1</source>
        <translation>当前，%1</translation>
    </message>
    <message>
        <source>At the peak, %1</source>
        <translation>峰值时，%1</translation>
    </message>
    <message>
        <source>Step %1 · %2</source>
        <translation>第 %1 步 · %2</translation>
    </message>
    <message>
        <source>Δ from %1</source>
        <translation>相对 %1 的差值</translation>
    </message>
    <message>
        <source>Chosen: %1</source>
        <translation>选定：%1</translation>
    </message>
    <message>
        <source>A band is what one component holds at that time. A dashed line is a prediction or a limit.</source>
        <translation>一条色带是一个组成部分在该时刻占用的字节；虚线是预测值或上限。</translation>
    </message>
</context>
<context>
    <name>peakscope::MessageBar</name>
    <message>
        <source>Dismiss (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Dismiss the message</source>
        <translation>关闭消息</translation>
    </message>
</context>
<context>
    <name>peakscope::ModuleBarsView</name>
    <message>
        <source>Forward: increase between hooks</source>
        <translation>前向：钩子间的增量</translation>
    </message>
    <message>
        <source>Backward: increase between hooks</source>
        <translation>反向：钩子间的增量</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;Modules: %2&lt;br&gt;%3: %4&lt;br&gt;%5: %6</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;模块：%2&lt;br&gt;%3：%4&lt;br&gt;%5：%6</translation>
    </message>
    <message>
        <source>Hook increases</source>
        <translation>钩子间的增量</translation>
    </message>
    <message>
        <source>Modules: %1. The largest increases between hooks are those of %2: forward %3, backward %4.</source>
        <translation>模块：%1。钩子间增量最大的是%2：前向 %3，反向 %4。</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;Modules: %2&lt;br&gt;Parameters: %3&lt;br&gt;Gradients: %4&lt;br&gt;Activations: %5 (each module's largest)</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;模块数：%2&lt;br&gt;参数：%3&lt;br&gt;梯度：%4&lt;br&gt;激活值：%5（各模块的最大值）</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>By kind</source>
        <translation>按类型</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>One by one</source>
        <translation>逐个</translation>
    </message>
    <message>
        <source>This result holds no modules.</source>
        <translation>此结果没有模块数据。</translation>
    </message>
    <message>
        <source>The model's modules appear here when the run has measured them.</source>
        <translation>运行测得模块数据后显示在这里。</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>No modules.</source>
        <translation>没有模块。</translation>
    </message>
    <message>
        <source>Modules: %1. The most memory belongs to %2: parameters %3, gradients %4, activations %5.</source>
        <translation>模块数：%1。占用内存最多的是 %2：参数 %3，梯度 %4，激活值 %5。</translation>
    </message>
    <message>
        <source>At the peak: %1</source>
        <translation>峰值时：%1</translation>
    </message>
    <message>
        <source>Modules at the peak</source>
        <translation>峰值时的模块</translation>
    </message>
    <message>
        <source>Modules: %1</source>
        <translation>模块数：%1</translation>
    </message>
    <message>
        <source>Modules: %1. At the peak %2 hold the most: %3 of %4.</source>
        <translation>模块数：%1。峰值时占用最多的是%2：%4 中的 %3。</translation>
    </message>
    <message>
        <source>Modules: own maxima, not at one instant</source>
        <translation>模块：各自的最大值，并非同一时刻</translation>
    </message>
    <message>
        <source>Outside modules</source>
        <translation>模块之外</translation>
    </message>
    <message>
        <source>Own maxima, summed</source>
        <translation>各自最大值之和</translation>
    </message>
    <message>
        <source>Own maxima, summed: %1</source>
        <translation>各自最大值之和：%1</translation>
    </message>
    <message>
        <source>Own maximum</source>
        <translation>自身最大值</translation>
    </message>
    <message>
        <source>Own maximum: %1</source>
        <translation>自身最大值：%1</translation>
    </message>
    <message>
        <source>own maximum</source>
        <translation>自身最大值</translation>
    </message>
    <message>
        <source>A bar is what a module holds at the peak, by component. A pale bar is its own maximum, at any time.</source>
        <translation>一根条形是一个模块在峰值时占用的字节，按组成部分着色；浅色条形是它在任意时刻的自身最大值。</translation>
    </message>
    <message>
        <source>A bar is what memory grew by between a module's hooks, forward and backward. It is no part of the peak.</source>
        <translation>一根条形是内存在一个模块的钩子之间的增量，分前向和反向；它不属于峰值。</translation>
    </message>
    <message>
        <source>A bar adds up a module's own maxima, which are of different instants.</source>
        <translation>一根条形是一个模块各项自身最大值之和，它们出现在不同时刻。</translation>
    </message>
</context>
<context>
    <name>peakscope::PaletteText</name>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Optimiser states</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Activation gradients</source>
        <translation>激活值梯度</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区内存</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Activation hooks</source>
        <translation>激活钩子</translation>
    </message>
    <message>
        <source>Norm samples</source>
        <translation>范数样本</translation>
    </message>
    <message>
        <source>Temporary matrices</source>
        <translation>临时矩阵</translation>
    </message>
    <message>
        <source>Per-sample gradients</source>
        <translation>逐样本梯度</translation>
    </message>
    <message>
        <source>Hessian</source>
        <translation>Hessian</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>取整</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>The model's weights, identified by their storage.</source>
        <translation>模型的权重，通过其存储识别。</translation>
    </message>
    <message>
        <source>The .grad tensors of the parameters and what accumulates into them.</source>
        <translation>参数的 .grad 张量及其累积量。</translation>
    </message>
    <message>
        <source>What the optimiser keeps between steps, such as Adam's two moments.</source>
        <translation>优化器在步与步之间保存的内容，例如 Adam 的两个矩。</translation>
    </message>
    <message>
        <source>What the graph keeps beyond the operator that made it, recomputed tensors included.</source>
        <translation>计算图在产生它的算子之后仍保留的内容，含重新计算的张量。</translation>
    </message>
    <message>
        <source>Tensors that flow backward through the graph, the gradient of the logits among them.</source>
        <translation>在计算图中反向流动的张量，包括 logits 的梯度。</translation>
    </message>
    <message>
        <source>Memory allocated and freed within one operator or module call.</source>
        <translation>在一次算子或模块调用之内分配并释放的内存。</translation>
    </message>
    <message>
        <source>The batch: token ids, labels and masks.</source>
        <translation>一批数据：词元 ID、标签和掩码。</translation>
    </message>
    <message>
        <source>Activations kept only because per-sample gradients or their norms need them.</source>
        <translation>仅因逐样本梯度或其范数需要而保留的激活值。</translation>
    </message>
    <message>
        <source>Per-sample gradient norms and the factors that clip by them.</source>
        <translation>逐样本梯度范数以及据此裁剪的系数。</translation>
    </message>
    <message>
        <source>Gram blocks of activations and output gradients that give norms without gradients.</source>
        <translation>激活值和输出梯度的 Gram 块，无需梯度即可得到范数。</translation>
    </message>
    <message>
        <source>Gradients of single rows of the batch, before they are clipped and summed.</source>
        <translation>批中各行在裁剪和求和之前的梯度。</translation>
    </message>
    <message>
        <source>Second derivatives: their graph, tangents, probes, Krylov basis, blocks and factors.</source>
        <translation>二阶导数：其计算图、切向量、探针、Krylov 基、分块和因子。</translation>
    </message>
    <message>
        <source>Buffers of collective operations between devices.</source>
        <translation>设备间集合通信的缓冲区。</translation>
    </message>
    <message>
        <source>What the allocator adds to a request to reach its block size.</source>
        <translation>分配器为达到块大小而在请求之上增加的部分。</translation>
    </message>
    <message>
        <source>Bytes that belong to none of the other components.</source>
        <translation>不属于其他任何组成部分的字节。</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Wrap</source>
        <translation>包装</translation>
    </message>
    <message>
        <source>Optimiser set-up</source>
        <translation>优化器初始化</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>Optimiser step</source>
        <translation>优化器步</translation>
    </message>
    <message>
        <source>Curvature</source>
        <translation>曲率</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>输出头</translation>
    </message>
</context>
<context>
    <name>peakscope::PlotScales</name>
    <message>
        <source>%1 (%2)</source>
        <comment>axis label: quantity (unit)</comment>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>peakscope::PlotView</name>
    <message>
        <source>%1 (%2)</source>
        <comment>tool tip (shortcut)</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Back to the view before</source>
        <translation>回到之前的视图</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Copy image</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Copy as an image</source>
        <translation>复制为图片</translation>
    </message>
    <message>
        <source>Copy visible data</source>
        <translation>复制可见数据</translation>
    </message>
    <message>
        <source>Copy the visible data as a table</source>
        <translation>把可见数据复制为表格</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Export as a figure (PDF, SVG, PNG)</source>
        <translation>导出为图（PDF、SVG、PNG）</translation>
    </message>
    <message>
        <source>Show data</source>
        <translation>显示数据</translation>
    </message>
    <message>
        <source>Show the table behind this plot</source>
        <translation>显示此图背后的表格</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
</context>
<context>
    <name>peakscope::ResultLoader</name>
    <message>
        <source>recorded run of %1 on %2, optimiser steps: %3</source>
        <translation>“%1” 在 %2 上的记录，优化器步数：%3</translation>
    </message>
    <message>
        <source>sweep: %1</source>
        <translation>扫描：%1</translation>
    </message>
    <message>
        <source>Left out, the same results as tables: %1.</source>
        <translation>已略过（是同样结果的表格）：%1。</translation>
    </message>
    <message>
        <source>Left out, tables that Peakscope made: %1.</source>
        <translation>已略过（是 Peakscope 生成的表格）：%1。</translation>
    </message>
    <message>
        <source>Left out, folders of results in it: %1.</source>
        <translation>已略过（其中的结果文件夹）：%1。</translation>
    </message>
    <message>
        <source>%1, %2 a pass</source>
        <comment>batch × length, rows at once</comment>
        <translation>%1，每遍 %2</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Plan: %1</source>
        <translation>计划：%1</translation>
    </message>
    <message>
        <source>Plan: %1 on %2</source>
        <translation>计划：%1，%2</translation>
    </message>
    <message>
        <source>curvature</source>
        <translation>曲率</translation>
    </message>
    <message>
        <source>%1 clipping</source>
        <translation>%1 裁剪</translation>
    </message>
    <message>
        <source>LoRA r %1</source>
        <translation>LoRA r %1</translation>
    </message>
    <message>
        <source>dry run of %1 on %2, optimiser steps: %3</source>
        <translation>“%1” 在 %2 上的空跑，优化器步数：%3</translation>
    </message>
    <message>
        <source>dry run of %1 on %2, rank %3 of %4, optimiser steps: %5</source>
        <translation>“%1” 在 %2 上的空跑，rank %3（共 %4），优化器步数：%5</translation>
    </message>
    <message>
        <source>noise in weights</source>
        <translation>权重噪声</translation>
    </message>
</context>
<context>
    <name>peakscope::PredictionWords</name>
    <message>
        <source>predicted peak %1, measured %2</source>
        <translation>预测峰值 %1，实测 %2</translation>
    </message>
    <message>
        <source>planned for at most %1, measured %2</source>
        <translation>计划上限 %1，实测 %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>predicted and measured, error</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>planned for at most %1, dry run %2</source>
        <translation>计划至多 %1，空跑 %2</translation>
    </message>
    <message>
        <source>predicted peak %1, dry run %2</source>
        <translation>预测峰值 %1，空跑 %2</translation>
    </message>
</context>
<context>
    <name>peakscope::RunAnswer</name>
    <message>
        <source>Largest λ by magnitude: %1, residual %2</source>
        <translation>模最大的 λ：%1，残差 %2</translation>
    </message>
    <message>
        <source>Largest λ by magnitude: %1</source>
        <translation>模最大的 λ：%1</translation>
    </message>
    <message>
        <source>Trace: %1, 95 % from %2 to %3</source>
        <translation>迹：%1，95 % 区间 %2 至 %3</translation>
    </message>
    <message>
        <source>Trace: %1</source>
        <translation>迹：%1</translation>
    </message>
    <message>
        <source>Peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>Peak %1, %2</source>
        <comment>bytes, phase</comment>
        <translation>峰值 %1，%2</translation>
    </message>
    <message>
        <source>Peak %1 in step %2, %3</source>
        <comment>bytes, number, phase</comment>
        <translation>第 %2 步达到峰值 %1，%3</translation>
    </message>
    <message>
        <source>%1 over the budget</source>
        <translation>超出预算 %1</translation>
    </message>
    <message>
        <source>%1 below the budget</source>
        <translation>低于预算 %1</translation>
    </message>
    <message>
        <source>%1 of %2 left on the card</source>
        <translation>显卡剩余 %1（共 %2）</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>component, bytes</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>peak, who holds it</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 more requested at the end</source>
        <translation>结束时还请求了 %1</translation>
    </message>
</context>
<context>
    <name>peakscope::RunHeader</name>
    <message>
        <source>Starts the same program once more (F5)</source>
        <translation>再次启动同一程序 (F5)</translation>
    </message>
    <message>
        <source>Not finished yet</source>
        <translation>尚未结束</translation>
    </message>
    <message>
        <source>The file of a program: start the program in Run, Your program…</source>
        <translation>这是程序的记录文件：请在“运行”的“你的程序…”中启动该程序</translation>
    </message>
    <message>
        <source>%1 left out: their values are incompatible</source>
        <translation>略去 %1 个：取值不相容</translation>
    </message>
    <message>
        <source>%1 left out: predicted to exceed the budget</source>
        <translation>略去 %1 个：预计超出预算</translation>
    </message>
    <message>
        <source>times of %1 on a busy machine: not to be compared</source>
        <translation>%1 个点的用时来自繁忙的机器：不可比较</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>损失 %1</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stops the run; what was measured until then is kept</source>
        <translation>停止运行；已测得的内容会保留</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Result of another program: it contains no experiment to run again</source>
        <translation>来自其他程序的结果：没有可再次运行的实验</translation>
    </message>
    <message>
        <source>Starts the same experiment once more (F5)</source>
        <translation>再次启动同一实验 (F5)</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成数据</translation>
    </message>
    <message>
        <source>merged timeline</source>
        <translation>时间线已合并</translation>
    </message>
    <message>
        <source>Shows the memory of every rank side by side, with their differences</source>
        <translation>并排显示各 rank 的内存及其差异</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>%1 of %2 points</source>
        <comment>of a sweep: finished, all</comment>
        <translation>%1 / %2 个点</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>空跑</translation>
    </message>
</context>
<context>
    <name>peakscope::ExperimentJson</name>
    <message>
        <source>The experiment as JSON</source>
        <translation>实验的 JSON</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copies the experiment; peakscope-cli run takes it as a file</source>
        <translation>复制实验；可存为文件交给 peakscope-cli run</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Back to the values of the form</source>
        <translation>恢复为表单中的值</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Puts the experiment into the form</source>
        <translation>将实验填入表单</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
    <message>
        <source>the key %1 appears twice; keep one of them</source>
        <translation>键 %1 出现了两次，请保留一个</translation>
    </message>
</context>
<context>
    <name>peakscope::RunPanel</name>
    <message>
        <source>not even the smallest run fits: it is predicted to take %1</source>
        <translation>最小的运行也放不下：预测需要 %1</translation>
    </message>
    <message>
        <source>predicted peak %1</source>
        <translation>预测峰值 %1</translation>
    </message>
    <message>
        <source>Set-up</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>Fills the form with the demo: a small model on built-in data</source>
        <translation>用演示填写表单：内置数据上的小模型</translation>
    </message>
    <message>
        <source>Show the experiment as JSON, to be changed there</source>
        <translation>以 JSON 显示实验，可在其中修改</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Add to queue</source>
        <translation>加入队列</translation>
    </message>
    <message>
        <source>some fields need correcting</source>
        <translation>有些字段需要更正</translation>
    </message>
    <message>
        <source>another program's: no experiment that could be run again</source>
        <translation>来自其他程序：没有可再次运行的实验</translation>
    </message>
    <message>
        <source>This is the set-up of the results below.</source>
        <translation>这是下方结果的设置。</translation>
    </message>
    <message>
        <source>Back to what was typed</source>
        <translation>恢复先前输入的内容</translation>
    </message>
    <message>
        <source>Show or hide the set-up</source>
        <translation>显示或隐藏设置</translation>
    </message>
    <message>
        <source>Fit the batch</source>
        <translation>调整批大小</translation>
    </message>
    <message>
        <source>Takes the largest batch that the budget allows</source>
        <translation>取预算允许的最大批大小</translation>
    </message>
    <message>
        <source>predicted peak %1 exceeds the budget by %2</source>
        <translation>预测峰值 %1，超出预算 %2</translation>
    </message>
    <message>
        <source>Starts after the runs before it (Ctrl+Return in the form)</source>
        <translation>排在前面的运行之后开始（在表单中按 Ctrl+Return）</translation>
    </message>
    <message>
        <source>Starts the run (Ctrl+Return in the form)</source>
        <translation>开始运行（在表单中按 Ctrl+Return）</translation>
    </message>
</context>
<context>
    <name>peakscope::RunQueue</name>
    <message>
        <source>%1: the folder can't be made</source>
        <translation>%1：无法创建该文件夹</translation>
    </message>
    <message>
        <source>Removed from the queue before it started.</source>
        <translation>开始之前已移出队列。</translation>
    </message>
</context>
<context>
    <name>peakscope::RunPage</name>
    <message>
        <source>Plan what fits</source>
        <translation>规划可行方案</translation>
    </message>
    <message>
        <source>Looks for set-ups of this model that fit the same memory</source>
        <translation>查找此模型能放入同样内存的设置</translation>
    </message>
    <message>
        <source>The display lags behind the run because this machine is busy. No data is lost.</source>
        <translation>本机繁忙，显示落后于运行。数据没有丢失。</translation>
    </message>
    <message>
        <source>A dry run measures memory only: no eigenvalue and no entry of the Hessian was computed.</source>
        <translation>空跑只测量显存：未计算特征值，也未计算 Hessian 的元素。</translation>
    </message>
</context>
<context>
    <name>peakscope::RunPlots</name>
    <message>
        <source>Lines</source>
        <translation>代码行</translation>
    </message>
    <message>
        <source>waiting for the first allocation</source>
        <translation>等待首次分配</translation>
    </message>
    <message>
        <source>Added until then</source>
        <translation>至此净增</translation>
    </message>
    <message>
        <source>Increases measured by each module's hooks, not live bytes at one instant.</source>
        <translation>各模块的钩子测得的增量，不是某一时刻存活的字节。</translation>
    </message>
    <message>
        <source>Each module's own maximum over the whole run, not at the peak or a chosen instant.</source>
        <translation>各模块在整个运行中各自的最大值，不是峰值或所选时刻的值。</translation>
    </message>
    <message>
        <source>Nothing so far.</source>
        <translation>目前还没有。</translation>
    </message>
    <message>
        <source>Alive then</source>
        <translation>当时存活</translation>
    </message>
    <message>
        <source>planned for at most %1</source>
        <translation>计划上限 %1</translation>
    </message>
    <message>
        <source>Component bars</source>
        <translation>组成条形图</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Module bars</source>
        <translation>模块条形图</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>组成</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Snapshots</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>now %1  ·  peak %2</source>
        <translation>当前 %1  ·  峰值 %2</translation>
    </message>
    <message>
        <source>worker resident %1</source>
        <translation>工作进程常驻 %1</translation>
    </message>
    <message>
        <source>Available at the end of the run.</source>
        <translation>运行结束时提供。</translation>
    </message>
    <message>
        <source>This result holds none.</source>
        <translation>此结果没有这项内容。</translation>
    </message>
    <message>
        <source>predicted peak %1</source>
        <translation>预测峰值 %1</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>各 rank</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Expert loads</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
</context>
<context>
    <name>peakscope::StartPage</name>
    <message>
        <source>Where does the memory of a training step go? See every byte by component, phase, module and operator, live.</source>
        <translation>一个训练步的内存去了哪里？按组成、阶段、模块和算子，实时查看每一个字节。</translation>
    </message>
    <message>
        <source>Run the demo now</source>
        <translation>立即运行演示</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>最近的文件</translation>
    </message>
    <message>
        <source>Look at the demo's results</source>
        <translation>查看演示结果</translation>
    </message>
    <message>
        <source>Two finished runs that come with the program: training steps, and noise in weights</source>
        <translation>随程序附带的两次已完成的运行：训练步，以及权重中的噪声</translation>
    </message>
    <message>
        <source>A few training steps of a model on built-in data. Then noise is added to classes of weights of a smaller one. Takes a minute or two.</source>
        <translation>用内置数据训练模型几步，然后给一个较小模型的各类权重加噪声。约需一两分钟。</translation>
    </message>
    <message>
        <source>Out of memory?</source>
        <translation>内存不足？</translation>
    </message>
    <message>
        <source>Open a CUDA memory snapshot: who held the memory, what grows, and what to change.</source>
        <translation>打开 CUDA 内存快照：谁占着内存，什么在增长，该改什么。</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>or drop it on this window</source>
        <translation>或拖到本窗口</translation>
    </message>
    <message>
        <source>Will it fit?</source>
        <translation>放得下吗？</translation>
    </message>
    <message>
        <source>How to train a model on a GPU, the best way first, proved by dry runs. The card need not be here.</source>
        <translation>如何在某块 GPU 上训练模型：最佳方案在前，并以空跑证实。无需真有这块显卡。</translation>
    </message>
    <message>
        <source>on</source>
        <comment>a model on a GPU</comment>
        <translation>于</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Your own program</source>
        <translation>你自己的程序</translation>
    </message>
    <message>
        <source>Run it unchanged: live on this machine, or dry. A dry run finds the largest batch for a card without a GPU.</source>
        <translation>原样运行：在本机实时观察，或空跑。空跑不用 GPU 就能找出某块显卡放得下的最大批次。</translation>
    </message>
    <message>
        <source>Choose where…</source>
        <translation>选择在哪运行…</translation>
    </message>
    <message>
        <source>Command of your program</source>
        <translation>你的程序的命令</translation>
    </message>
    <message>
        <source>A small model</source>
        <translation>小模型</translation>
    </message>
    <message>
        <source>Train a few real steps on this machine and watch their memory, live. Or set up a model, a sweep or its curvature.</source>
        <translation>在本机训练几个真实的步，实时观察内存。也可设置模型、扫描或曲率计算。</translation>
    </message>
    <message>
        <source>Six layers of width 384, 8 rows of 256 tokens</source>
        <translation>6 层，宽 384，8 行，每行 256 词元</translation>
    </message>
    <message>
        <source>Set up…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Out of memory, explained</source>
        <translation>内存不足，说明原因</translation>
    </message>
    <message>
        <source>Plan for an RTX 4090</source>
        <translation>RTX 4090 的规划</translation>
    </message>
    <message>
        <source>A batch found without a GPU</source>
        <translation>不用 GPU 找到的批次</translation>
    </message>
    <message>
        <source>Noise in weights</source>
        <translation>权重中的噪声</translation>
    </message>
    <message>
        <source>A training run: predicted %1, measured %2</source>
        <translation>一次训练运行：预测 %1，实测 %2</translation>
    </message>
</context>
<context>
    <name>peakscope::TableModel</name>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Weight norm</source>
        <translation>权重范数</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Hessian mean diagonal</source>
        <translation>Hessian 对角线均值</translation>
    </message>
    <message>
        <source>Hessian trace</source>
        <translation>Hessian 迹</translation>
    </message>
    <message>
        <source>Hessian trace error</source>
        <translation>Hessian 迹的误差</translation>
    </message>
    <message>
        <source>Hessian row norm</source>
        <translation>Hessian 行范数</translation>
    </message>
    <message>
        <source>Fisher trace</source>
        <translation>Fisher 迹</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐度</translation>
    </message>
    <message>
        <source>Alignment, Hessian</source>
        <translation>对齐度（Hessian）</translation>
    </message>
    <message>
        <source>Sparsity</source>
        <translation>稀疏度</translation>
    </message>
    <message>
        <source>Sparsity, absolute</source>
        <translation>绝对稀疏度</translation>
    </message>
    <message>
        <source>Median step time</source>
        <translation>步时间中位数</translation>
    </message>
    <message>
        <source>Spread of the step time</source>
        <translation>步时间的离散度</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>整个运行</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>簇</translation>
    </message>
    <message>
        <source>UMAP 1</source>
        <translation>UMAP 1</translation>
    </message>
    <message>
        <source>UMAP 2</source>
        <translation>UMAP 2</translation>
    </message>
    <message>
        <source>Attack</source>
        <translation>攻击</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>度量</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>重复次数</translation>
    </message>
    <message>
        <source>Noise σ</source>
        <translation>噪声 σ</translation>
    </message>
    <message>
        <source>Control of</source>
        <translation>对照对象</translation>
    </message>
    <message>
        <source>ΔPPL</source>
        <translation>ΔPPL</translation>
    </message>
    <message>
        <source>ΔPPL from</source>
        <translation>ΔPPL 下界</translation>
    </message>
    <message>
        <source>ΔPPL to</source>
        <translation>ΔPPL 上界</translation>
    </message>
    <message>
        <source>Δ log PPL</source>
        <translation>Δ log PPL</translation>
    </message>
    <message>
        <source>ΔAUC</source>
        <translation>ΔAUC</translation>
    </message>
    <message>
        <source>ΔAUC from</source>
        <translation>ΔAUC 下界</translation>
    </message>
    <message>
        <source>ΔAUC to</source>
        <translation>ΔAUC 上界</translation>
    </message>
    <message>
        <source>Control</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差</translation>
    </message>
    <message>
        <source>Difference from</source>
        <translation>差的下界</translation>
    </message>
    <message>
        <source>Difference to</source>
        <translation>差的上界</translation>
    </message>
    <message>
        <source>Hedges' g</source>
        <translation>Hedges g</translation>
    </message>
    <message>
        <source>Cliff's δ</source>
        <translation>Cliff δ</translation>
    </message>
    <message>
        <source>p value</source>
        <translation>p 值</translation>
    </message>
    <message>
        <source>p value, Holm</source>
        <translation>p 值（Holm）</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>预期</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>相对于</translation>
    </message>
    <message>
        <source>Change of the class</source>
        <translation>类别的变化</translation>
    </message>
    <message>
        <source>Change of the control</source>
        <translation>对照的变化</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Cell</source>
        <translation>单元格</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>over budget</source>
        <translation>超出预算</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>略去</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Exact trace</source>
        <translation>精确迹</translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation>对</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>略过</translation>
    </message>
    <message>
        <source>Size of the factor of the layer's inputs</source>
        <translation>层输入因子的大小</translation>
    </message>
    <message>
        <source>Size of the factor of its outputs' gradients</source>
        <translation>输出梯度因子的大小</translation>
    </message>
    <message>
        <source>Of the block that the factors approximate</source>
        <translation>因子所近似的块</translation>
    </message>
    <message>
        <source>Steps whose differences of gradients were kept</source>
        <translation>保留了梯度之差的步</translation>
    </message>
    <message>
        <source>Steps along negative curvature, which were left out</source>
        <translation>沿负曲率的步，已略去</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>总和</translation>
    </message>
    <message>
        <source>As recorded in the file: the sum of all parts, as if all were alive at one time</source>
        <translation>按文件中的记录：各部分之和，如同它们同时存在</translation>
    </message>
    <message>
        <source>Intermediate results</source>
        <translation>中间结果</translation>
    </message>
    <message>
        <source>Silhouette</source>
        <translation>轮廓系数</translation>
    </message>
    <message>
        <source>How well the clusters are apart, from -1 to 1</source>
        <translation>各簇分离的程度，从 -1 到 1</translation>
    </message>
    <message>
        <source>Not classified</source>
        <translation>未分类</translation>
    </message>
    <message>
        <source>Conclusions</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Evidence for the hypothesis of each class</source>
        <translation>关于各类别假设的证据</translation>
    </message>
    <message>
        <source>Planned for at most</source>
        <translation>计划上限</translation>
    </message>
    <message>
        <source>Summed over the iterations: never alive together, so not part of the peak</source>
        <translation>跨迭代累加：从未同时存在，因此不属于峰值</translation>
    </message>
    <message>
        <source>After the step</source>
        <translation>步骤之后</translation>
    </message>
    <message>
        <source>As listed</source>
        <translation>按文件所列</translation>
    </message>
    <message>
        <source>As the file lists them: they do not sum to the peak</source>
        <translation>按文件所列：其和不等于峰值</translation>
    </message>
    <message>
        <source>Cumulated</source>
        <translation>累计</translation>
    </message>
    <message>
        <source>Read after the step, not at the peak: they do not sum to it</source>
        <translation>在步骤之后而非峰值时读取：其和不等于峰值</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>component, how it was read</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>组成</translation>
    </message>
    <message>
        <source>What the bytes are for</source>
        <translation>字节的用途</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>Bytes alive when the total was highest; they sum to the peak</source>
        <translation>总量最高时存活的字节；合计等于峰值</translation>
    </message>
    <message>
        <source>Own maximum</source>
        <translation>自身最大值</translation>
    </message>
    <message>
        <source>The most this component ever had, whenever that was</source>
        <translation>该组成部分的最大值，不论何时</translation>
    </message>
    <message>
        <source>Share of the peak</source>
        <translation>占峰值的比例</translation>
    </message>
    <message>
        <source>Bytes at the peak as a part of the peak</source>
        <translation>峰值时的字节占峰值的比例</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>The phase of the run it belongs to</source>
        <translation>所属的运行阶段</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>The training step; warm-up steps count</source>
        <translation>训练步；预热步计入</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>调用次数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Since the start of the run</source>
        <translation>自运行开始算起</translation>
    </message>
    <message>
        <source>Allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Bytes handed out by the allocator</source>
        <translation>分配器交出的字节</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>Bytes the allocator had taken from the device</source>
        <translation>分配器向设备申请的字节</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Largest sum of activations alive at one time that it made</source>
        <translation>它产生的激活值同时存活的最大总和</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Largest sum of its bytes alive at one time</source>
        <translation>它的字节同时存活的最大总和</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Time of the forward pass in the last measured step</source>
        <translation>最后一个实测步的前向耗时</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Time of the backward pass in the last measured step</source>
        <translation>最后一个实测步的反向耗时</translation>
    </message>
    <message>
        <source>Own time; what it calls is not counted</source>
        <translation>自身耗时；不计它调用的部分</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备数</translation>
    </message>
    <message>
        <source>Predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>Predicted reserved</source>
        <translation>预测预留</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>Usable less reserved less context</source>
        <translation>可用减去预留再减去上下文</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>已验证</translation>
    </message>
    <message>
        <source>Whether this kind of step was checked against measurements</source>
        <translation>此类步骤是否经过实测验证</translation>
    </message>
    <message>
        <source>Reasons</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变更</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>Against the step before</source>
        <translation>相对于前一步</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Predicted, measured, or impossible for the model</source>
        <translation>预测、实测，或模型不可能</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>impossible</source>
        <translation>不可能</translation>
    </message>
    <message>
        <source>%1 as a multiple of %2</source>
        <translation>%1 是 %2 的多少倍</translation>
    </message>
    <message>
        <source>%1 less %2</source>
        <comment>difference</comment>
        <translation>%1 减 %2</translation>
    </message>
    <message>
        <source>Backward, sum of the modules</source>
        <translation>反向，各模块之和</translation>
    </message>
    <message>
        <source>Forward, sum of the modules</source>
        <translation>前向，各模块之和</translation>
    </message>
    <message>
        <source>Peak, as requested</source>
        <translation>峰值（请求）</translation>
    </message>
    <message>
        <source>Peak, reserved</source>
        <translation>峰值（保留）</translation>
    </message>
    <message>
        <source>Peak, resident process</source>
        <translation>峰值（进程常驻）</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>量</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Step, per token</source>
        <translation>每词元步时间</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>A tensor, head or layer: the Hessian restricted to it</source>
        <translation>一个张量、注意力头或层：限制于其上的 Hessian</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Parameters of the block</source>
        <translation>块的参数数</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>迹</translation>
    </message>
    <message>
        <source>from</source>
        <translation>从</translation>
    </message>
    <message>
        <source>Lower end of the trace's 95 % interval</source>
        <translation>迹的 95 % 区间下端</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Upper end of the trace's 95 % interval</source>
        <translation>迹的 95 % 区间上端</translation>
    </message>
    <message>
        <source>Top eigenvalue</source>
        <translation>主特征值</translation>
    </message>
    <message>
        <source>Of largest magnitude</source>
        <translation>绝对值最大者</translation>
    </message>
    <message>
        <source>Eigenvalue</source>
        <translation>特征值</translation>
    </message>
    <message>
        <source>Residual</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>|Hv − λv|: an eigenvalue lies within this of the value</source>
        <translation>|Hv − λv|：在此范围内必有一个特征值</translation>
    </message>
    <message>
        <source>Relative residual</source>
        <translation>相对残差</translation>
    </message>
    <message>
        <source>The residual over the largest eigenvalue's magnitude</source>
        <translation>残差与最大特征值绝对值之比</translation>
    </message>
    <message>
        <source>Frobenius norm</source>
        <translation>Frobenius 范数</translation>
    </message>
    <message>
        <source>Share of ‖H‖²</source>
        <translation>占 ‖H‖² 的比例</translation>
    </message>
    <message>
        <source>Its share of the whole matrix's sum of squares; the rest to 100 % over all blocks is off-block mass</source>
        <translation>该块的平方和占整个矩阵的比例；所有块之外的部分为块外质量</translation>
    </message>
    <message>
        <source>Computed</source>
        <translation>计算方式</translation>
    </message>
    <message>
        <source>Exact: from the block's whole matrix; estimated: from random probes</source>
        <translation>精确：由块的整个矩阵；估计：由随机探针</translation>
    </message>
    <message>
        <source>Diagonal</source>
        <translation>对角线</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Index</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Flattened position in the tensor as stored</source>
        <translation>在所存张量中的展平位置</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Probes, entries or products until then</source>
        <translation>至此的探针、元素或乘积数</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>Standard error</source>
        <translation>标准误</translation>
    </message>
    <message>
        <source>95 % from</source>
        <translation>95 % 从</translation>
    </message>
    <message>
        <source>95 % to</source>
        <translation>95 % 到</translation>
    </message>
    <message>
        <source>Smallest eigenvalue</source>
        <translation>最小特征值</translation>
    </message>
    <message>
        <source>By value: how far the curvature goes below zero, where it does</source>
        <translation>按数值：曲率低于零时低到多少</translation>
    </message>
    <message>
        <source>± smallest</source>
        <translation>± 最小</translation>
    </message>
    <message>
        <source>Residual of the smallest: an eigenvalue lies within this of it</source>
        <translation>最小特征值的残差：在此范围内有一个特征值</translation>
    </message>
    <message>
        <source>Largest eigenvalue</source>
        <translation>最大特征值</translation>
    </message>
    <message>
        <source>By value: the steepest direction within the block</source>
        <translation>按数值：块内最陡的方向</translation>
    </message>
    <message>
        <source>± largest</source>
        <translation>± 最大</translation>
    </message>
    <message>
        <source>Residual of the largest: an eigenvalue lies within this of it</source>
        <translation>最大特征值的残差：在此范围内有一个特征值</translation>
    </message>
    <message>
        <source>Rows of</source>
        <translation>行所属</translation>
    </message>
    <message>
        <source>The tensor whose parameters are the block's rows</source>
        <translation>以其参数为块的行的张量</translation>
    </message>
    <message>
        <source>Columns of</source>
        <translation>列所属</translation>
    </message>
    <message>
        <source>The tensor whose parameters are the block's columns; the same block the other way round is not listed again</source>
        <translation>以其参数为块的列的张量；转置的同一块不再列出</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行数</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列数</translation>
    </message>
    <message>
        <source>RMS entry</source>
        <translation>元素均方根</translation>
    </message>
    <message>
        <source>Root mean square of the block's entries</source>
        <translation>块内元素的均方根</translation>
    </message>
    <message>
        <source>Held by</source>
        <translation>占用者</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>代码行</translation>
    </message>
    <message>
        <source>Innermost line of the program's own code that requested it</source>
        <translation>申请该块的程序自身代码中最内层的一行</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>申请</translation>
    </message>
    <message>
        <source>Bytes that the program requested</source>
        <translation>程序申请的字节数</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Of all that is alive at this instant</source>
        <translation>占此刻全部存活的比例</translation>
    </message>
    <message>
        <source>In blocks</source>
        <translation>块内</translation>
    </message>
    <message>
        <source>Bytes of the allocator's blocks that hold them</source>
        <translation>容纳它们的分配器块的字节数</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块数</translation>
    </message>
    <message>
        <source>Born</source>
        <translation>分配</translation>
    </message>
    <message>
        <source>The event that allocated it; empty: before the record</source>
        <translation>分配它的事件；空：记录之前</translation>
    </message>
    <message>
        <source>Freed</source>
        <translation>释放</translation>
    </message>
    <message>
        <source>The event that freed it; empty: alive at the end</source>
        <translation>释放它的事件；空：结束时仍存活</translation>
    </message>
    <message>
        <source>Freed at</source>
        <translation>释放处</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>流</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>内存池</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Stack</source>
        <translation>调用栈</translation>
    </message>
    <message>
        <source>The innermost frame first</source>
        <translation>最内层的帧在前</translation>
    </message>
    <message>
        <source>Saves</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>Of the predicted peak; in a snapshot of what was reserved, of what grows, or at most of the peak</source>
        <translation>相对于预测的峰值；快照中相对于保留的内存、增长的部分，或至多相对于峰值</translation>
    </message>
    <message>
        <source>Tier</source>
        <translation>等级</translation>
    </message>
    <message>
        <source>Whether training stays what it was</source>
        <translation>训练是否保持不变</translation>
    </message>
    <message>
        <source>Alive then</source>
        <translation>当时存活</translation>
    </message>
    <message>
        <source>Live bytes of the component at this instant</source>
        <translation>该组成部分在此刻存活的字节</translation>
    </message>
    <message>
        <source>Added until then</source>
        <translation>到当时为止增加</translation>
    </message>
    <message>
        <source>What the phase had allocated less what it had freed, in all steps so far</source>
        <translation>到当时为止的所有步中，该阶段分配的减去释放的</translation>
    </message>
    <message>
        <source>How</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>look here</source>
        <translation>看这里</translation>
    </message>
    <message>
        <source>less reserved</source>
        <translation>保留更少</translation>
    </message>
    <message>
        <source>less at the peak</source>
        <translation>峰值更低</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>Requested at the first instant of the run compared against</source>
        <translation>所对照的运行在第一个时刻的申请量</translation>
    </message>
    <message>
        <source>The same of the other run</source>
        <translation>另一运行的同一数值</translation>
    </message>
    <message>
        <source>What the other run holds more</source>
        <translation>另一运行多占用的部分</translation>
    </message>
    <message>
        <source>Blocks A</source>
        <translation>块数 A</translation>
    </message>
    <message>
        <source>Blocks B</source>
        <translation>块数 B</translation>
    </message>
    <message>
        <source>Requested in run A at the instant in the title</source>
        <translation>运行 A 在标题所示时刻的申请量</translation>
    </message>
    <message>
        <source>The same of run B</source>
        <translation>运行 B 的同一数值</translation>
    </message>
    <message>
        <source>What run B holds more than run A</source>
        <translation>运行 B 比 A 多占用的部分</translation>
    </message>
    <message>
        <source>At %1</source>
        <comment>an instant</comment>
        <translation>%1 时</translation>
    </message>
    <message>
        <source>Bytes alive at %1; they sum to the curve there</source>
        <translation>%1 时存活的字节；其和为该处的曲线值</translation>
    </message>
    <message>
        <source>grows with every step</source>
        <translation>每步都增长</translation>
    </message>
    <message>
        <source>may grow</source>
        <translation>可能增长</translation>
    </message>
    <message>
        <source>fits this request; the next steps fail again</source>
        <translation>这次请求可满足；后面的步骤还会失败</translation>
    </message>
    <message>
        <source>The most that was alive during the step</source>
        <translation>该步中存活内存的最大值</translation>
    </message>
    <message>
        <source>Alive at its end</source>
        <translation>步末存活</translation>
    </message>
    <message>
        <source>What the step left; a rising column is growth</source>
        <translation>该步留下的内存；逐步上升即为增长</translation>
    </message>
    <message>
        <source>Shape of the first tensor that the model was called with</source>
        <translation>调用模型时第一个张量的形状</translation>
    </message>
    <message>
        <source>Expert</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元数</translation>
    </message>
    <message>
        <source>Those that the router sent to the expert, over all steps</source>
        <translation>路由器在所有步中送往该专家的词元</translation>
    </message>
    <message>
        <source>× even share</source>
        <translation>× 平均份额</translation>
    </message>
    <message>
        <source>1: as many tokens as if all experts had the same</source>
        <translation>1：与所有专家均分时一样多的词元</translation>
    </message>
    <message>
        <source>Payload</source>
        <translation>负载字节数</translation>
    </message>
    <message>
        <source>The tensors' bytes; the traffic on the network depends on the algorithm</source>
        <translation>张量的字节；网络上的流量取决于算法</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>machine too busy to compare</source>
        <translation>机器太忙，无法比较</translation>
    </message>
    <message>
        <source>Peak reserved</source>
        <translation>保留峰值</translation>
    </message>
    <message>
        <source>Most that the allocator had taken from the device</source>
        <translation>分配器从设备取得的最大值</translation>
    </message>
</context>
<context>
    <name>peakscope::TimelineLegend</name>
    <message>
        <source>The purpose of these bytes is determined at the end of the run. Until then each allocation counts as its most frequent kind.</source>
        <translation>这些字节的用途在运行结束后才能确定。此前每次分配按最常见的类别计。</translation>
    </message>
    <message>
        <source>Hatched: may still change</source>
        <translation>斜线：仍可能改变</translation>
    </message>
    <message>
        <source>Phase: %1</source>
        <translation>阶段：%1</translation>
    </message>
    <message>
        <source>Components at the cursor</source>
        <translation>游标处的组成</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>What the allocator has taken from the device; the dashed line</source>
        <translation>分配器向设备申请的量；虚线</translation>
    </message>
    <message>
        <source>%1 (click or Space: hide or show)</source>
        <translation>%1（单击或按空格：隐藏或显示）</translation>
    </message>
    <message>
        <source>Hatched: inferred</source>
        <translation>斜线：推断</translation>
    </message>
    <message>
        <source>The recording does not contain the purpose of its bytes. It is inferred from the allocating code and from lifetimes.</source>
        <translation>记录中没有各字节的用途，由申请它们的代码和生存期推断。</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>What is selected in the table or in a picture; the solid line</source>
        <translation>在表格或图中选中的部分；实线</translation>
    </message>
</context>
<context>
    <name>peakscope::TimelinePainter</name>
    <message>
        <source>Planned for at most %1</source>
        <translation>计划上限 %1</translation>
    </message>
    <message>
        <source>Steps %1</source>
        <comment>a range</comment>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Budget %1</source>
        <translation>预算 %1</translation>
    </message>
    <message>
        <source>Peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Predicted peak %1</source>
        <translation>预测峰值 %1</translation>
    </message>
</context>
<context>
    <name>peakscope::TimelineText</name>
    <message>
        <source>It was planned for at most %1.</source>
        <translation>计划上限为 %1。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>No memory events.</source>
        <translation>没有内存事件。</translation>
    </message>
    <message>
        <source>Memory from %1 to %2. Peak %3 at %4; the largest part is %5 with %6 (%7 %).</source>
        <translation>内存从 %1 到 %2。峰值 %3，位于 %4；最大的部分是%5，%6（%7 %）。</translation>
    </message>
    <message>
        <source>The budget is %1.</source>
        <translation>预算为 %1。</translation>
    </message>
    <message>
        <source>The predicted peak is %1.</source>
        <translation>预测峰值为 %1。</translation>
    </message>
    <message>
        <source>event %1</source>
        <translation>事件 %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Optimiser steps completed</source>
        <translation>已完成的优化器步数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
</context>
<context>
    <name>peakscope::ResultWriters</name>
    <message>
        <source>%1 has been running since before this window was opened.</source>
        <translation>%1 在本窗口打开之前就已在运行。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>A stop was requested (%1); the measurements so far are kept.</source>
        <translation>已请求停止（%1）；已测得的数据会保留。</translation>
    </message>
    <message>
        <source>It belongs to %1 and can be stopped only there.</source>
        <translation>它由 %1 运行，只能在那里停止。</translation>
    </message>
</context>
<context>
    <name>peakscope::JobWords</name>
    <message>
        <source>Dry program</source>
        <translation>空跑程序</translation>
    </message>
    <message>
        <source>Comparison of methods</source>
        <translation>方法比较</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>what is done of all</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>The launcher %1 could not be started; correct it, or leave it out to run on this machine.</source>
        <translation>无法启动启动前缀 %1；请更正，或去掉它以在本机运行。</translation>
    </message>
    <message>
        <source>segmentation fault</source>
        <translation>段错误</translation>
    </message>
    <message>
        <source>aborted</source>
        <translation>异常中止</translation>
    </message>
    <message>
        <source>bus error: a mapped file shrank or its disk failed</source>
        <translation>总线错误：映射的文件变短或其磁盘故障</translation>
    </message>
    <message>
        <source>illegal instruction: built for another processor</source>
        <translation>非法指令：为其他处理器构建</translation>
    </message>
    <message>
        <source>arithmetic error</source>
        <translation>算术错误</translation>
    </message>
    <message>
        <source>terminated from outside</source>
        <translation>被外部终止</translation>
    </message>
    <message>
        <source>signal %1</source>
        <translation>信号 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Stopped on request; what was measured until then is kept.</source>
        <translation>已按要求停止；已测得的内容会保留。</translation>
    </message>
    <message>
        <source>The worker was killed (signal 9); often the system's out-of-memory killer. Use a smaller batch, sequence or model, or set a memory budget.</source>
        <translation>工作进程被杀死（信号 9）；往往是系统的内存不足终止程序所为。请减小批大小、序列长度或模型，或设置内存预算。</translation>
    </message>
    <message>
        <source>The worker crashed (%1); what was measured until then is kept.</source>
        <translation>工作进程崩溃（%1）；已测得的内容会保留。</translation>
    </message>
    <message>
        <source>Its last output: %1</source>
        <translation>最后的输出：%1</translation>
    </message>
    <message>
        <source>The launcher %1 did not find %2 where it runs; install it there, or set PEAKSCOPE_CLI to its path.</source>
        <translation>启动前缀 %1 在其运行处没有找到 %2；请在那里安装，或把 PEAKSCOPE_CLI 设为其路径。</translation>
    </message>
    <message>
        <source>The worker left with exit status %1 before the run was finished.</source>
        <translation>工作进程在运行完成前以退出状态 %1 结束。</translation>
    </message>
    <message>
        <source>The connection to the other machine failed or was lost, or the worker there was killed; what came until then is kept.</source>
        <translation>与另一台机器的连接失败或中断，或那里的工作进程被杀死；此前收到的内容已保留。</translation>
    </message>
    <message>
        <source>The launcher %1, or the worker it turned into, was ended by %2; what came until then is kept.</source>
        <translation>启动前缀 %1（或由它变成的工作进程）被 %2 终止；此前收到的内容已保留。</translation>
    </message>
    <message>
        <source>The worker could not be started.</source>
        <translation>无法启动工作进程。</translation>
    </message>
</context>
<context>
    <name>peakscope::PlanText</name>
    <message>
        <source>Comfortable</source>
        <translation>宽裕</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>可容纳</translation>
    </message>
    <message>
        <source>Tight</source>
        <translation>紧张</translation>
    </message>
    <message>
        <source>Needs sharding</source>
        <translation>需要分片</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>Needs %1 devices</source>
        <translation>需要 %1 个设备</translation>
    </message>
    <message>
        <source>Reserved memory and context take at most 60 % of the memory that a process can use on the device.</source>
        <translation>保留内存与上下文最多占设备上一个进程可用内存的 60 %。</translation>
    </message>
    <message>
        <source>Reserved memory and context take at most 85 % of the memory that a process can use on the device.</source>
        <translation>保留内存与上下文最多占设备上一个进程可用内存的 85 %。</translation>
    </message>
    <message>
        <source>It fits, but takes more than 85 % of the memory that a process can use on the device.</source>
        <translation>放得下，但超过设备上一个进程可用内存的 85 %。</translation>
    </message>
    <message>
        <source>One device is too small; spread over several of them it fits.</source>
        <translation>单个设备不够；分布到多个设备后可以容纳。</translation>
    </message>
    <message>
        <source>Reserved memory and context exceed the memory that a process can use on the device.</source>
        <translation>保留内存与上下文超过设备上一个进程可用的内存。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Hessian</source>
        <translation>Hessian</translation>
    </message>
    <message>
        <source>DP-SGD</source>
        <translation>DP-SGD</translation>
    </message>
    <message>
        <source>Perturbation</source>
        <translation>扰动</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Exact: the numbers equal those of the requested set-up, up to rounding.</source>
        <translation>精确：数值与所请求的设置一致，仅有舍入差异。</translation>
    </message>
    <message>
        <source>Precision: the same steps as requested, rounded more coarsely.</source>
        <translation>精度：步骤与所请求的相同，但舍入更粗。</translation>
    </message>
    <message>
        <source>Method: the strategy trains or computes something other than requested.</source>
        <translation>方法：训练或计算的内容与所请求的不同。</translation>
    </message>
    <message>
        <source>Exact: as requested, the same up to rounding</source>
        <translation>精确：与所请求的一致，仅有舍入差异</translation>
    </message>
    <message>
        <source>Precision: the same steps, rounded more coarsely</source>
        <translation>精度：步骤相同，舍入更粗</translation>
    </message>
    <message>
        <source>Method: changes what is trained or computed</source>
        <translation>方法：改变所训练或计算的内容</translation>
    </message>
    <message>
        <source>Needs more devices</source>
        <translation>需要更多设备</translation>
    </message>
    <message>
        <source>Reserved beyond the peak</source>
        <translation>峰值之外的预留</translation>
    </message>
    <message>
        <source>Largest batch that fits</source>
        <translation>可容纳的最大批</translation>
    </message>
    <message>
        <source>× beyond the model's positions</source>
        <translation>× 超出模型的位置范围</translation>
    </message>
</context>
<context>
    <name>peakscope::StrategyModel</name>
    <message>
        <source>Dry run: %1</source>
        <translation>空跑：%1</translation>
    </message>
    <message>
        <source>Peak of the dry run</source>
        <translation>空跑峰值</translation>
    </message>
    <message>
        <source>Reserved in the dry run</source>
        <translation>空跑时的保留</translation>
    </message>
    <message>
        <source>Variants that save little</source>
        <translation>节省不多的变体</translation>
    </message>
    <message>
        <source>%1: %2, %3 reserved</source>
        <translation>%1：%2，保留 %3</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Predicted: %1</source>
        <translation>预测：%1</translation>
    </message>
    <message>
        <source>Predicted, at the peak:</source>
        <translation>预测，峰值时：</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>#</source>
        <translation>#</translation>
    </message>
    <message>
        <source>Rank: what fits by tier, then by speed</source>
        <translation>名次：放得下的先按层级，再按速度</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Compared with the memory that a process can use on the device</source>
        <translation>与设备上一个进程可用的内存相比</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>What is set</source>
        <translation>设定的内容</translation>
    </message>
    <message>
        <source>Predicted; the line marks the memory that a process can use</source>
        <translation>预测值；竖线为进程可用的内存</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Predicted: the most that is allocated at one time on one device</source>
        <translation>预测：单个设备上同时分配的最大值</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>预留</translation>
    </message>
    <message>
        <source>Predicted: what the allocator holds then, its unused blocks included</source>
        <translation>预测：此时分配器所持有的内存，含未使用的块</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>Usable less reserved less context; below zero that much is missing</source>
        <translation>可用减去预留再减去上下文；小于零即为缺少的量</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Expected time of a step, from the device's bandwidth and peak rates</source>
        <translation>由设备带宽与峰值速率估计的单步时间</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备数</translation>
    </message>
    <message>
        <source>How many of this device it takes</source>
        <translation>需要多少个这种设备</translation>
    </message>
    <message>
        <source>Why it ranks here, and what it costs</source>
        <translation>为何排在此处，代价是什么</translation>
    </message>
    <message>
        <source>Predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>Measured peak</source>
        <translation>实测峰值</translation>
    </message>
    <message>
        <source>Prediction off by</source>
        <translation>预测偏差</translation>
    </message>
    <message>
        <source>Predicted reserved</source>
        <translation>预测预留</translation>
    </message>
    <message>
        <source>Usable</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>A closed form that has not been checked against measurements.</source>
        <translation>尚未用实测验证的闭式公式。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>column title (unit)</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Memory, one device</source>
        <translation>单个设备的内存</translation>
    </message>
    <message>
        <source>The dry run ran out of memory at</source>
        <translation>空跑内存不足时</translation>
    </message>
</context>
<context>
    <name>peakscope::StrategyTableView</name>
    <message>
        <source>No dry runs here: %1</source>
        <translation>此处无法空跑：%1</translation>
    </message>
    <message>
        <source>%1 of %2 run dry</source>
        <translation>%1/%2 已空跑</translation>
    </message>
    <message>
        <source>Rows with a tick ran on a stand-in of the card, with PyTorch&apos;s own allocator: their bytes are exact. The others are predicted.</source>
        <translation>带勾的行已在该卡的替身上用 PyTorch 自己的分配器运行：字节数是精确的。其他行是预测值。</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Copy a shell command that runs this strategy</source>
        <translation>复制运行此方案的 shell 命令</translation>
    </message>
    <message>
        <source>Choose a model and a device to list the possible strategies here, best first.</source>
        <translation>选择模型和设备，此处将列出可行的方案，最好的在前。</translation>
    </message>
    <message>
        <source>Strategies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Computed from the model's operators before anything runs</source>
        <translation>运行之前由模型的算子计算得出</translation>
    </message>
    <message>
        <source>Copy table</source>
        <translation>复制表格</translation>
    </message>
    <message>
        <source>Copy the table as text</source>
        <translation>以文本复制表格</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Copy the table as CSV, exact bytes</source>
        <translation>以 CSV 复制表格，字节数精确</translation>
    </message>
    <message>
        <source>LaTeX</source>
        <translation>LaTeX</translation>
    </message>
    <message>
        <source>Copy the table as LaTeX (booktabs)</source>
        <translation>以 LaTeX（booktabs）复制表格</translation>
    </message>
    <message>
        <source>Copy image</source>
        <translation>复制图像</translation>
    </message>
    <message>
        <source>Copy as an image</source>
        <translation>复制为图像</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Export as a figure (PDF, SVG, PNG)</source>
        <translation>导出为图（PDF、SVG、PNG）</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Show why the chosen strategy ranks where it does</source>
        <translation>显示所选策略的排名原因</translation>
    </message>
    <message>
        <source>Save table…</source>
        <translation>保存表格…</translation>
    </message>
    <message>
        <source>Save the table as CSV or LaTeX</source>
        <translation>将表格保存为 CSV 或 LaTeX</translation>
    </message>
    <message>
        <source>Why this strategy, and its numbers</source>
        <translation>此策略的理由与数值</translation>
    </message>
    <message>
        <source>No strategy was found for this model and device.</source>
        <translation>没有找到适合此模型与设备的策略。</translation>
    </message>
    <message>
        <source>No strategies.</source>
        <translation>没有策略。</translation>
    </message>
    <message>
        <source>%1 strategies, %2 of which fit one device with %3 usable. The best: %4, %5, predicted peak %6.</source>
        <translation>共 %1 个策略，其中 %2 个可放入可用 %3 的单个设备。最好的：%4，%5，预测峰值 %6。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Measured peak</source>
        <translation>实测峰值</translation>
    </message>
    <message>
        <source>Usable: %1</source>
        <translation>可用：%1</translation>
    </message>
</context>
<context>
    <name>peakscope::CapacityMapView</name>
    <message>
        <source>Capacity map</source>
        <translation>容量图</translation>
    </message>
    <message>
        <source>No capacity map for this strategy.</source>
        <translation>此策略没有容量图。</translation>
    </message>
    <message>
        <source>Shows which batch fits at which sequence length, once strategies are ranked.</source>
        <translation>方案排序后，此处显示各序列长度下放得下的批大小。</translation>
    </message>
    <message>
        <source>A cell is a batch and a sequence length, coloured by whether the peak fits. The line is the last that fits.</source>
        <translation>一格对应一个批大小和序列长度；颜色表示峰值是否放得下，曲线是放得下的边界。</translation>
    </message>
</context>
<context>
    <name>peakscope::CapacityChart</name>
    <message>
        <source>Sequence (tokens)</source>
        <translation>序列长度（词元）</translation>
    </message>
    <message>
        <source>Batch (rows)</source>
        <translation>批大小（行）</translation>
    </message>
    <message>
        <source>Batch %1 × sequence %2: </source>
        <translation>批 %1 × 序列 %2：</translation>
    </message>
    <message>
        <source>the model's positions end before.</source>
        <translation>超出模型的位置范围。</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>%1 missing</source>
        <translation>缺少 %1</translation>
    </message>
    <message>
        <source>predicted %1 peak, %2 reserved – %3, %4.</source>
        <translation>预测峰值 %1，预留 %2 – %3，%4。</translation>
    </message>
    <message>
        <source>Measured: %1 peak</source>
        <translation>实测峰值：%1</translation>
    </message>
    <message>
        <source> (prediction %1 %)</source>
        <translation>（预测 %1 %）</translation>
    </message>
    <message>
        <source> on %1.</source>
        <translation>，于 %1。</translation>
    </message>
    <message>
        <source>At this length batch %1 is the most that fits.</source>
        <translation>此长度下最多可容纳批 %1。</translation>
    </message>
    <message>
        <source>At this length no batch fits.</source>
        <translation>此长度下任何批都放不下。</translation>
    </message>
    <message>
        <source>No map.</source>
        <translation>没有图。</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <comment>batch at sequence</comment>
        <translation>%2：%1</translation>
    </message>
    <message>
        <source>No batch fits at any sequence length.</source>
        <translation>任何序列长度都没有可容纳的批。</translation>
    </message>
    <message>
        <source>Largest batch that fits, by sequence length: %1.</source>
        <translation>各序列长度可容纳的最大批：%1。</translation>
    </message>
    <message>
        <source>Measured cells: %1.</source>
        <translation>实测单元格：%1。</translation>
    </message>
    <message>
        <source>Point at a cell for its bytes; a double click offers it as a run.</source>
        <translation>指向单元格可看字节数；双击可把它作为一次运行提供。</translation>
    </message>
    <message>
        <source>Largest batch that fits: %1 at sequence %2, %3 at %4.</source>
        <translation>可容纳的最大批：序列 %2：%1；序列 %4：%3。</translation>
    </message>
    <message>
        <source>numbers: peak in %1, predicted</source>
        <translation>数字：峰值（%1），预测</translation>
    </message>
    <message>
        <source>numbers: peak in %1, predicted; measured where framed</source>
        <translation>数字：峰值（%1），预测；带框为实测</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>at least %1</source>
        <comment>a batch</comment>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>At this length batch %1 fits, the map's largest.</source>
        <translation>在此长度，图中最大的批 %1 可容纳。</translation>
    </message>
    <message>
        <source>the line at the upper edge: at least %1 fits</source>
        <translation>上边缘的线：至少 %1 可容纳</translation>
    </message>
</context>
<context>
    <name>peakscope::LadderView</name>
    <message>
        <source>saves nothing</source>
        <translation>未节省</translation>
    </message>
    <message>
        <source>saves %1</source>
        <translation>节省 %1</translation>
    </message>
    <message>
        <source>costs %1</source>
        <translation>多用 %1</translation>
    </message>
    <message>
        <source>Ladder: what each step saves</source>
        <translation>阶梯：每一步节省多少</translation>
    </message>
    <message>
        <source>Peak of one device</source>
        <translation>单个设备的峰值</translation>
    </message>
    <message>
        <source>This plan has no ladder.</source>
        <translation>此计划没有阶梯。</translation>
    </message>
    <message>
        <source>Shows what saves memory, step by step and exact steps first, once strategies are ranked.</source>
        <translation>方案排序后，此处逐步显示如何节省内存，精确的在前。</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;Predicted peak: %2&lt;br&gt;%3&lt;br&gt;%4</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;预测峰值：%2&lt;br&gt;%3&lt;br&gt;%4</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>Saved by this step</source>
        <translation>此步节省</translation>
    </message>
    <message>
        <source>Usable less context: %1</source>
        <translation>可用减上下文：%1</translation>
    </message>
    <message>
        <source>No steps.</source>
        <translation>没有步骤。</translation>
    </message>
    <message>
        <source>%1 steps from %2 to %3. The largest saving is %4, by: %5.</source>
        <translation>共 %1 步，从 %2 到 %3。节省最多的是 %4，来自：%5。</translation>
    </message>
    <message>
        <source>Hatched: predicted</source>
        <translation>斜线：预测</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>tier, step</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>A bar is the predicted peak after one more change. The vertical line is the capacity of the device.</source>
        <translation>一根条形是再做一项改动后的预测峰值；竖线是设备容量。</translation>
    </message>
</context>
<context>
    <name>peakscope::NoteWords</name>
    <message>
        <source>%1: intermediate is 2 × the parameters, a rule of thumb</source>
        <translation>%1：intermediate 是参数量的 2 倍，属经验法则</translation>
    </message>
    <message>
        <source>%1: activations are one tensor of 128 positions × %2 × 4 bytes: a width guessed as parameters / %3 (at most %4), without layers, attention or logits</source>
        <translation>%1：activations 是一个 128 个位置 × %2 × 4 字节的张量：宽度猜作参数量 / %3（至多 %4），不含各层、注意力与 logits</translation>
    </message>
    <message>
        <source>%1: block_diagonal_hessian counts 10 × the diagonal, whatever the blocks are</source>
        <translation>%1：block_diagonal_hessian 按对角线的 10 倍计，与分块无关</translation>
    </message>
    <message>
        <source>%1: strategies are sums of all parts, as if all were alive at one time</source>
        <translation>%1：各策略是所有部分之和，仿佛它们同时存活</translation>
    </message>
    <message>
        <source>%1: approximate_hessian counts no memory for the approximation itself</source>
        <translation>%1：approximate_hessian 未计近似本身的内存</translation>
    </message>
    <message>
        <source>all sizes are sums by a rule of thumb, not measured</source>
        <translation>所有大小都是按经验法则求的和，并非测量所得</translation>
    </message>
    <message>
        <source>synthetic: the scripts of this family drew delta_ppl and delta_auc from a random generator</source>
        <translation>合成：这一族脚本的 delta_ppl 与 delta_auc 取自随机数生成器</translation>
    </message>
    <message>
        <source>joined from %1 files of a point each</source>
        <translation>由 %1 个各含一个点的文件合成</translation>
    </message>
    <message>
        <source>the files do not agree in which statistic of the iterations their step time is: %1</source>
        <translation>各文件的步时间是迭代的哪种统计量并不一致：%1</translation>
    </message>
    <message>
        <source>the files do not agree in the number of GPUs: %1</source>
        <translation>各文件的 GPU 数不一致：%1</translation>
    </message>
    <message>
        <source>a secret was left out: %1 and %2 more</source>
        <translation>略去了一个机密：%1，另有 %2 个</translation>
    </message>
    <message>
        <source>numbers written as text were read as numbers: %1</source>
        <translation>写成文本的数已按数读取：%1</translation>
    </message>
    <message>
        <source>not a finite number, so left out: %1</source>
        <translation>不是有限的数，故略去：%1</translation>
    </message>
    <message>
        <source>a secret was left out: %1</source>
        <translation>略去了一个机密：%1</translation>
    </message>
    <message>
        <source>PyTorch's TEMPORARY is shown as workspace, AUTOGRAD_DETAIL as activation gradients, unknown bytes as other; the categories are PyTorch's own guess</source>
        <translation>PyTorch 的 TEMPORARY 显示为工作区，AUTOGRAD_DETAIL 显示为激活值梯度，未知的字节显示为其他；这些类别是 PyTorch 自己的推测</translation>
    </message>
    <message>
        <source>sizes outside `snapshots` are bytes, those inside GiB; all are bytes here</source>
        <translation>`snapshots` 之外的大小以字节计，其内的以 GiB 计；此处一律为字节</translation>
    </message>
    <message>
        <source>figures by kind of module are sums of increases between hooks (forward as activations, backward as gradients); nested modules are counted more than once</source>
        <translation>按模块类型的数字是钩子之间增量之和（前向记为激活值，反向记为梯度）；嵌套模块会被重复计入</translation>
    </message>
    <message>
        <source>gradient and activation estimates are rules of thumb of the script, not measured</source>
        <translation>梯度与激活值的估计是脚本的经验法则，并非测量所得</translation>
    </message>
    <message>
        <source>peak_memory_mb is decimal MB (10^6 bytes), peak_allocated_memory_mb MiB (2^20); the peak is read from the first</source>
        <translation>peak_memory_mb 是十进制 MB（10^6 字节），peak_allocated_memory_mb 是 MiB（2^20）；峰值取自前者</translation>
    </message>
    <message>
        <source>peak_memory_mb is decimal MB (10^6 bytes), peak_allocated_memory_mb MiB (2^20); the peak is read from the second</source>
        <translation>peak_memory_mb 是十进制 MB（10^6 字节），peak_allocated_memory_mb 是 MiB（2^20）；峰值取自后者</translation>
    </message>
    <message>
        <source>peak_memory_mb and breakdown.peak_allocated_mb differ: %1 and %2</source>
        <translation>peak_memory_mb 与 breakdown.peak_allocated_mb 不同：%1 与 %2</translation>
    </message>
    <message>
        <source>%1 were freed that were never seen allocated; they count as alive from the start</source>
        <translation>%1 被释放却从未见其分配；它们从一开始就算作存活</translation>
    </message>
    <message>
        <source>the timeline was merged from %1 events: exact at the times given, the peak kept</source>
        <translation>时间线由 %1 个事件合并而成：在所给时刻精确，峰值保留</translation>
    </message>
    <message>
        <source>the events' peak of %1 lies above the %2 that were reserved, so it is doubtful</source>
        <translation>事件的峰值 %1 高于所保留的 %2，因此存疑</translation>
    </message>
    <message>
        <source>the events sum to %1 at most, the trace's own totals reach %2: events are missing, and the peak is doubtful</source>
        <translation>事件之和最多为 %1，跟踪自身的总量达到 %2：有事件缺失，峰值存疑</translation>
    </message>
    <message>
        <source>out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5, %6 on the device: fragmented</source>
        <translation>在 %1 处内存不足：请求 %2；已保留的 %4 中空闲 %3，最大一块 %5；设备上空闲 %6：碎片化</translation>
    </message>
    <message>
        <source>out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5, %6 on the device: too big</source>
        <translation>在 %1 处内存不足：请求 %2；已保留的 %4 中空闲 %3，最大一块 %5；设备上空闲 %6：请求过大</translation>
    </message>
    <message>
        <source>out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5, %6 on the device: the program's limit</source>
        <translation>在 %1 处内存不足：请求 %2；已保留的 %4 中空闲 %3，最大一块 %5；设备上空闲 %6：程序的上限</translation>
    </message>
    <message>
        <source>out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5: fragmented</source>
        <translation>在 %1 处内存不足：请求 %2；已保留的 %4 中空闲 %3，最大一块 %5：碎片化</translation>
    </message>
    <message>
        <source>out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5: too big</source>
        <translation>在 %1 处内存不足：请求 %2；已保留的 %4 中空闲 %3，最大一块 %5：请求过大</translation>
    </message>
    <message>
        <source>grows: %1 left %2 alive in %3 steps</source>
        <translation>增长：%1 在 %3 步中留下 %2 未释放</translation>
    </message>
    <message>
        <source>a snapshot does not record the purpose of its bytes: components and phases are inferred from stacks and lifetimes</source>
        <translation>快照不记录各字节的用途：组成部分和阶段由调用栈和生存期推断</translation>
    </message>
    <message>
        <source>a snapshot does not record the purpose of its bytes: without stacks all count as "other"</source>
        <translation>快照不记录各字节的用途：没有调用栈，全部计为“其他”</translation>
    </message>
    <message>
        <source>%1 were alive before the range began</source>
        <translation>该范围开始之前已有 %1 未释放</translation>
    </message>
    <message>
        <source>the events have no times: the axis counts them, a microsecond each</source>
        <translation>事件没有时间：坐标轴按事件计数，每个一微秒</translation>
    </message>
    <message>
        <source>steps are inferred: the user_metadata counts them</source>
        <translation>步由推断得出：user_metadata 对其计数</translation>
    </message>
    <message>
        <source>steps are inferred: zero_grad lets go of the same gradients each time</source>
        <translation>步由推断得出：zero_grad 每次释放相同的梯度</translation>
    </message>
    <message>
        <source>the file ends too early, at byte %1: what came before is shown</source>
        <translation>文件过早结束，止于第 %1 字节：显示此前的内容</translation>
    </message>
    <message>
        <source>the history ends with the file, so the peak is a lower bound</source>
        <translation>历史随文件一起中断，因此峰值是下界</translation>
    </message>
    <message>
        <source>the history was cut: only its last %1 entries were kept, so the peak is a lower bound; record with a larger max_entries</source>
        <translation>历史被截断：只保留了最后 %1 条，因此峰值是下界；请用更大的 max_entries 录制</translation>
    </message>
    <message>
        <source>the history was cut: %1 whole steps ended before its first event, so the peak is a lower bound; record with a larger max_entries</source>
        <translation>历史被截断：在首个事件之前已结束 %1 个完整的步，因此峰值是下界；请用更大的 max_entries 录制</translation>
    </message>
    <message>
        <source>a range of the history: events %1 to %2; peaks, what grows and components are those within it</source>
        <translation>历史的一个范围：事件 %1 至 %2；峰值、增长与组成均为该范围内的</translation>
    </message>
    <message>
        <source>no history was recorded for this device: its peak is unknown; it held %1 of %2 reserved when the snapshot was taken</source>
        <translation>此设备没有录制历史：峰值未知；拍摄快照时，它在已保留的 %2 中占用 %1</translation>
    </message>
    <message>
        <source>pinned host memory, which is in no sum of a device: %1 at its peak, most of it at %2</source>
        <translation>锁页主机内存，不计入任何设备：峰值 %1，大部分在 %2</translation>
    </message>
    <message>
        <source>pinned host memory, which is in no sum of a device: %1 when the snapshot was taken, most of it at %2</source>
        <translation>锁页主机内存，不计入任何设备：拍摄快照时 %1，大部分在 %2</translation>
    </message>
    <message>
        <source>Comfortable: %1.</source>
        <translation>宽裕：%1。</translation>
    </message>
    <message>
        <source>Fits: %1.</source>
        <translation>可容纳：%1。</translation>
    </message>
    <message>
        <source>Comfortable on each of %1 devices: %2.</source>
        <translation>在 %1 个设备的每一个上都宽裕：%2。</translation>
    </message>
    <message>
        <source>Fits on each of %1 devices: %2.</source>
        <translation>在 %1 个设备的每一个上都可容纳：%2。</translation>
    </message>
    <message>
        <source>Tight: %1; another process on the device or fragmentation may end it.</source>
        <translation>紧张：%1；设备上的其他进程或碎片都可能使其中断。</translation>
    </message>
    <message>
        <source>Does not fit: %1.</source>
        <translation>放不下：%1。</translation>
    </message>
    <message>
        <source>Needs %1 of %2 (%3 here), %4 on each.</source>
        <translation>需要 %1 个 %2（此处有 %3 个），每个上 %4。</translation>
    </message>
    <message>
        <source>%1 reserved and %2 for the CUDA context are %3 % of %4 usable, %5 to spare</source>
        <translation>预留 %1，CUDA 上下文 %2，共占可用 %4 的 %3 %，余 %5</translation>
    </message>
    <message>
        <source>%1 reserved and %2 for the CUDA context are %3 % of %4 usable, %5 missing</source>
        <translation>预留 %1，CUDA 上下文 %2，共占可用 %4 的 %3 %，缺 %5</translation>
    </message>
    <message>
        <source>%1 reserved and %2 for the process are %3 % of %4 usable, %5 to spare</source>
        <translation>预留 %1，进程 %2，共占可用 %4 的 %3 %，余 %5</translation>
    </message>
    <message>
        <source>%1 reserved and %2 for the process are %3 % of %4 usable, %5 missing</source>
        <translation>预留 %1，进程 %2，共占可用 %4 的 %3 %，缺 %5</translation>
    </message>
    <message>
        <source>The peak of %1 is in %2: %3. The logits make it: %4 of it are theirs.</source>
        <translation>峰值 %1 出现在%2阶段：%3。由 logits 造成：其中 %4 属于它们。</translation>
    </message>
    <message>
        <source>The peak of %1 is in %2: %3.</source>
        <translation>峰值 %1 出现在%2阶段：%3。</translation>
    </message>
    <message>
        <source>Exact. Trains what was requested: the same numbers up to rounding.</source>
        <translation>精确。训练内容与所请求的一致：除舍入外数值相同。</translation>
    </message>
    <message>
        <source>Costs no extra time.</source>
        <translation>不额外花时间。</translation>
    </message>
    <message>
        <source>Costs no extra time; at least %1 a step by roofline, %2 tokens/s.</source>
        <translation>不额外花时间；按 roofline 每步至少 %1，%2 词元/秒。</translation>
    </message>
    <message>
        <source>Costs no extra time; at least %1 for %2 by roofline.</source>
        <translation>不额外花时间；按 roofline，%2 至少需 %1。</translation>
    </message>
    <message>
        <source>Costs time: %1; at least %2 a step by roofline, %3 tokens/s.</source>
        <translation>花时间：%1；按 roofline 每步至少 %2，%3 词元/秒。</translation>
    </message>
    <message>
        <source>Costs time: %1; at least %2 for %3 by roofline.</source>
        <translation>花时间：%1；按 roofline，%3 至少需 %2。</translation>
    </message>
    <message>
        <source>every layer runs forward once more in backward (about a third more operations)</source>
        <translation>每层在反向时再前向一次（运算约多三分之一）</translation>
    </message>
    <message>
        <source>%1 passes of %2 row instead of one</source>
        <translation>分 %1 遍、每遍 %2 行，而非一遍</translation>
    </message>
    <message>
        <source>%1 passes of %2 rows instead of one</source>
        <translation>分 %1 遍、每遍 %2 行，而非一遍</translation>
    </message>
    <message>
        <source>attention writes its T x T scores to memory</source>
        <translation>注意力把 T x T 分数写入内存</translation>
    </message>
    <message>
        <source>attention computes its scores once more in backward</source>
        <translation>注意力在反向时再算一次分数</translation>
    </message>
    <message>
        <source>%1 move between the devices each step</source>
        <translation>每步有 %1 在设备间传输</translation>
    </message>
    <message>
        <source>%1 move between the devices in all</source>
        <translation>总共有 %1 在设备间传输</translation>
    </message>
    <message>
        <source>data.batch %1 is %2 row on each of %3 devices.</source>
        <translation>data.batch %1：%3 个设备各 %2 行。</translation>
    </message>
    <message>
        <source>data.batch %1 is %2 rows on each of %3 devices.</source>
        <translation>data.batch %1：%3 个设备各 %2 行。</translation>
    </message>
    <message>
        <source>The prediction is not yet proved by a measured run of this kind.</source>
        <translation>此类运行尚无实测来验证该预测。</translation>
    </message>
    <message>
        <source>The weights under the adapters are rounded to 4 bits (%1).</source>
        <translation>适配器之下的权重舍入到 4 位（%1）。</translation>
    </message>
    <message>
        <source>The estimate may be off by %1 %, which would change this verdict; a dry run decides.</source>
        <translation>估计可能偏差 %1 %，足以改变此结论；以空跑为准。</translation>
    </message>
    <message>
        <source>Yes, %1: %2.</source>
        <translation>可以，%1：%2。</translation>
    </message>
    <message>
        <source>No, not %1: %2. Yes with %3: %4.</source>
        <translation>不行，%1 需要 %2。可以用 %3：%4。</translation>
    </message>
    <message>
        <source>No, nothing searched fits on %1 x %2. %3: %4.</source>
        <translation>不行，%1 块 %2 放不下任何已搜索的方案。%3：%4。</translation>
    </message>
    <message>
        <source>These bytes are of a dry run on a stand-in of the card.</source>
        <translation>这些字节数来自在该卡替身上的空跑。</translation>
    </message>
    <message>
        <source>about %1 of %2, batch %3 x %4 in passes of %5</source>
        <translation>约 %1 / %2，批量 %3 x %4，每趟 %5 行</translation>
    </message>
    <message>
        <source>%1 of %2, batch %3 x %4 in passes of %5</source>
        <translation>%1 / %2，批量 %3 x %4，每趟 %5 行</translation>
    </message>
    <message>
        <source>about %1 of %2, batch %3 x %4</source>
        <translation>约 %1 / %2，批量 %3 x %4</translation>
    </message>
    <message>
        <source>%1 of %2, batch %3 x %4</source>
        <translation>%1 / %2，批量 %3 x %4</translation>
    </message>
    <message>
        <source>%1, 8-bit states</source>
        <translation>%1，8 位优化器状态</translation>
    </message>
    <message>
        <source>%1, kahan rounding</source>
        <translation>%1，Kahan 舍入</translation>
    </message>
    <message>
        <source>%1, float32 adapters</source>
        <translation>%1，float32 适配器</translation>
    </message>
    <message>
        <source>%1, stochastic rounding</source>
        <translation>%1，随机舍入</translation>
    </message>
    <message>
        <source>%1 with float32 masters</source>
        <translation>%1，含 float32 主权重</translation>
    </message>
    <message>
        <source>all weights in %1</source>
        <translation>全部权重（%1）</translation>
    </message>
    <message>
        <source>LoRA over %1 in %2</source>
        <translation>%1 基座上的 LoRA（%2）</translation>
    </message>
    <message>
        <source>LoRA in %1</source>
        <translation>LoRA（%1）</translation>
    </message>
    <message>
        <source>data.batch %1 is the largest that was tried and leaves room.</source>
        <translation>data.batch %1 是试过的留有余量的最大值。</translation>
    </message>
    <message>
        <source>Updates each weight within backward: gradients are not accumulated, nor clipped by the norm of all.</source>
        <translation>在反向传播中更新每个权重：梯度不累积，也不能按总范数裁剪。</translation>
    </message>
    <message>
        <source>Weights and gradients in %1; float32 masters and moments take the updates.</source>
        <translation>权重和梯度为 %1；更新作用于 float32 主权重和动量。</translation>
    </message>
    <message>
        <source>Weights, gradients and moments in %1; what rounding loses of an update is kept in as many bits again (Kahan).</source>
        <translation>权重、梯度和动量为 %1；更新中舍入丢失的部分以同样位数保存（Kahan）。</translation>
    </message>
    <message>
        <source>The frozen weights are %1; adapters, their gradients and moments are float32.</source>
        <translation>冻结的权重为 %1；适配器及其梯度和动量为 float32。</translation>
    </message>
    <message>
        <source>Weights, gradients and moments in %1; updates are rounded up or down at random, right on average.</source>
        <translation>权重、梯度和动量为 %1；更新随机向上或向下舍入，平均无偏。</translation>
    </message>
    <message>
        <source>Both moments in 8 bits, blocks of %1 (%2).</source>
        <translation>两个动量均为 8 位，每块 %1 个（%2）。</translation>
    </message>
    <message>
        <source>Has room for more: data.batch %1 fits in the same way.</source>
        <translation>还有余地：同样方式下 data.batch 可到 %1。</translation>
    </message>
    <message>
        <source>Has no room for more: data.batch %1 does not fit in the same way.</source>
        <translation>没有余地：同样方式下 data.batch %1 放不下。</translation>
    </message>
    <message>
        <source>Weights, gradients and states in %1, rounded to nearest: updates below 1/%2 of a weight are lost.</source>
        <translation>权重、梯度与状态用 %1，就近舍入：小于权重 1/%2 的更新会丢失。</translation>
    </message>
    <message>
        <source>Matrix products round their inputs to %1 (%2 bits); weights, gradients and states stay %3.</source>
        <translation>矩阵乘法把输入舍入到 %1（%2 位）；权重、梯度与状态仍为 %3。</translation>
    </message>
    <message>
        <source>Trains adapters of rank %1 only; the weights stay as they are.</source>
        <translation>只训练秩为 %1 的适配器；权重保持不变。</translation>
    </message>
    <message>
        <source>%1 instead of %2: no moments, another path of training.</source>
        <translation>用 %1 代替 %2：没有动量，训练路径不同。</translation>
    </message>
    <message>
        <source>%1 instead of %2: another path of training.</source>
        <translation>用 %1 代替 %2：训练路径不同。</translation>
    </message>
    <message>
        <source>Rows of %1 tokens instead of %2: nothing beyond is attended to.</source>
        <translation>每行 %1 个词元而非 %2 个：注意不到更远之处。</translation>
    </message>
    <message>
        <source>Ranks first: nothing runs as it is, and this is the nearest.</source>
        <translation>排第一：没有能直接运行的，此方案最接近。</translation>
    </message>
    <message>
        <source>Ranks first: of what is exact and %1 it is the quickest.</source>
        <translation>排第一：在精确且%1的方案中最快。</translation>
    </message>
    <message>
        <source>Ranks first: nothing exact %1; of what only rounds differently it is the quickest.</source>
        <translation>排第一：没有精确且%1的方案；在仅舍入不同的方案中最快。</translation>
    </message>
    <message>
        <source>Ranks first: nothing %1 that trains what was requested; of what changes it, this is the quickest.</source>
        <translation>排第一：没有%1且训练所求内容的方案；在有所改变的方案中最快。</translation>
    </message>
    <message>
        <source>fits on one device</source>
        <translation>单个设备可容纳</translation>
    </message>
    <message>
        <source>fits on the devices at hand</source>
        <translation>现有设备可容纳</translation>
    </message>
    <message>
        <source>Ranks below those above: they run on one device.</source>
        <translation>排在上面各项之后：它们在单个设备上运行。</translation>
    </message>
    <message>
        <source>Ranks below those above: they run on the devices at hand.</source>
        <translation>排在上面各项之后：它们在现有设备上运行。</translation>
    </message>
    <message>
        <source>Ranks below those above: this one does not fit.</source>
        <translation>排在上面各项之后：此方案放不下。</translation>
    </message>
    <message>
        <source>Ranks below those above: they are exact, this one rounds differently.</source>
        <translation>排在上面各项之后：它们精确，此方案舍入不同。</translation>
    </message>
    <message>
        <source>Ranks below those above: this one changes what was requested.</source>
        <translation>排在上面各项之后：此方案改变了所要求的内容。</translation>
    </message>
    <message>
        <source>Ranks below the one above: %1 more are missing.</source>
        <translation>排在上一项之后：多缺 %1。</translation>
    </message>
    <message>
        <source>Ranks below the one above: one device more.</source>
        <translation>排在上一项之后：多一个设备。</translation>
    </message>
    <message>
        <source>Ranks below the one above: %1 devices more.</source>
        <translation>排在上一项之后：多 %1 个设备。</translation>
    </message>
    <message>
        <source>Ranks below the one above: by roofline %1 times as long per token, and it needs %2 more.</source>
        <translation>排在上一项之后：按 roofline 每词元耗时为其 %1 倍，且多需 %2。</translation>
    </message>
    <message>
        <source>Ranks below the one above: by roofline %1 times as long per token, and it needs %2 less.</source>
        <translation>排在上一项之后：按 roofline 每词元耗时为其 %1 倍，但少需 %2。</translation>
    </message>
    <message>
        <source>Ranks below the one above: by roofline %1 times as long per token.</source>
        <translation>排在上一项之后：按 roofline 每词元耗时为其 %1 倍。</translation>
    </message>
    <message>
        <source>Ranks below the one above: as quick by roofline, within 2 %, and it changes more, and it needs %1 more.</source>
        <translation>排在上一项之后：按 roofline 同样快（2 % 以内），改变更多，且多需 %1。</translation>
    </message>
    <message>
        <source>Ranks below the one above: as quick by roofline, within 2 %, and it changes more, and it needs %1 less.</source>
        <translation>排在上一项之后：按 roofline 同样快（2 % 以内），改变更多，但少需 %1。</translation>
    </message>
    <message>
        <source>Ranks below the one above: as quick by roofline, within 2 %, and it changes more.</source>
        <translation>排在上一项之后：按 roofline 同样快（2 % 以内），改变更多。</translation>
    </message>
    <message>
        <source>Ranks below the one above: as quick, and it needs %1 more.</source>
        <translation>排在上一项之后：同样快，且多需 %1。</translation>
    </message>
    <message>
        <source>Ranks below the one above: as quick, and it needs %1 less.</source>
        <translation>排在上一项之后：同样快，但少需 %1。</translation>
    </message>
    <message>
        <source>Ranks below the one above: as quick.</source>
        <translation>排在上一项之后：同样快。</translation>
    </message>
    <message>
        <source>all sizes are estimates by a rule of thumb, not measured</source>
        <translation>所有大小均为经验估算，并非实测</translation>
    </message>
    <message>
        <source>a strategy is a sum of parts; the block-diagonal one counts ten times the diagonal, whatever the blocks are</source>
        <translation>每种策略是各部分之和；块对角按对角的十倍计，与块无关</translation>
    </message>
    <message>
        <source>the step time is the mean over the iterations</source>
        <translation>步时间是各次迭代的均值</translation>
    </message>
    <message>
        <source>the step time is the %1 over the iterations</source>
        <translation>步时间是各次迭代的 %1</translation>
    </message>
    <message>
        <source>the file does not record which statistic the step time is</source>
        <translation>文件没有记录步时间是哪种统计量</translation>
    </message>
    <message>
        <source>the file holds no configuration</source>
        <translation>文件不含配置</translation>
    </message>
    <message>
        <source>the file names no experiment; taken from its file name: %1</source>
        <translation>文件未注明实验；取自文件名：%1</translation>
    </message>
    <message>
        <source>the breakdown was read after the step, not at the peak: its parts sum to %1, the peak is %2</source>
        <translation>分解是在步后而非峰值处读取的：各部分合计 %1，峰值为 %2</translation>
    </message>
    <message>
        <source>the breakdown was read after the step, not at the peak: its parts sum to %1 without the activation hooks, the peak is %2</source>
        <translation>分解是在步后而非峰值处读取的：不含激活钩子的各部分合计 %1，峰值为 %2</translation>
    </message>
    <message>
        <source>activation hooks are cumulated over the iterations, so their %1 exceed the peak</source>
        <translation>激活钩子在各次迭代中累加，故其 %1 超过峰值</translation>
    </message>
    <message>
        <source>activation hooks are cumulated over the iterations, so their %1 are not what was alive at one time</source>
        <translation>激活钩子在各次迭代中累加，故其 %1 并非同时存活的量</translation>
    </message>
    <message>
        <source>temp matrices are always 0 in what this script writes: it never measures them</source>
        <translation>此脚本写出的临时矩阵总为 0：它从不测量</translation>
    </message>
    <message>
        <source>the peak is 0: the script measures nothing without a CUDA device</source>
        <translation>峰值为 0：没有 CUDA 设备时脚本不作测量</translation>
    </message>
    <message>
        <source>total_seconds is the time of a whole configuration, loading the model included; there is no step time</source>
        <translation>total_seconds 是整个配置（含加载模型）的时间；没有步时间</translation>
    </message>
    <message>
        <source>a stage's bytes inherit earlier peaks: the script never resets the peak between stages</source>
        <translation>各阶段的字节继承先前的峰值：脚本从不在阶段间重置峰值</translation>
    </message>
    <message>
        <source>%1 points have no peak: they did not run</source>
        <translation>%1 个点没有峰值：它们没有运行</translation>
    </message>
    <message>
        <source>a trace does not record the purpose of its bytes: all count as "other"</source>
        <translation>跟踪不记录各字节的用途：全部计为“其他”</translation>
    </message>
    <message>
        <source>%1 were alive before the trace began</source>
        <translation>跟踪开始前已有 %1 存活</translation>
    </message>
    <message>
        <source>the curve is the trace&apos;s counter %1: levels at the times of its events, so what lies between two of them is not in it</source>
        <translation>曲线取自该跟踪的计数器 %1：只有各事件时刻的数值，因此两个事件之间的变化不在其中</translation>
    </message>
    <message>
        <source>the counter&apos;s %1 are read as decimal ones</source>
        <translation>该计数器的 %1 按十进制读取</translation>
    </message>
    <message>
        <source>the trace ends without its closing bracket, which its format allows</source>
        <translation>该跟踪结尾没有右方括号，其格式允许这样</translation>
    </message>
    <message>
        <source>the trace holds no [memory] events before it ends</source>
        <translation>该跟踪在结束之前没有 [memory] 事件</translation>
    </message>
    <message>
        <source>the device's type is PrivateUse1, an external backend whose name is not in the trace: it is called npu</source>
        <translation>设备类型为 PrivateUse1，即外部后端，其名称不在跟踪中：此处称为 npu</translation>
    </message>
    <message>
        <source>the trace has %1 out-of-memory events</source>
        <translation>跟踪中有 %1 个内存不足事件</translation>
    </message>
    <message>
        <source>no attack was run: AUC and its change are absent</source>
        <translation>没有运行攻击：缺少 AUC 及其变化</translation>
    </message>
    <message>
        <source>baseline_ppl differs between rows; the first is shown</source>
        <translation>各行的 baseline_ppl 不同；显示第一个</translation>
    </message>
    <message>
        <source>the silhouette is absent: its -1 means "not computed"</source>
        <translation>没有轮廓系数：其 -1 表示“未计算”</translation>
    </message>
    <message>
        <source>the file holds bare NaN, inf or the like; such values are absent</source>
        <translation>文件中有裸露的 NaN、inf 之类；这些值缺失</translation>
    </message>
    <message>
        <source>%1 autocast</source>
        <translation>%1 自动混合</translation>
    </message>
    <message>
        <source>LoRA rank %1</source>
        <translation>LoRA 秩 %1</translation>
    </message>
    <message>
        <source>clipping %1</source>
        <translation>裁剪 %1</translation>
    </message>
    <message>
        <source>checkpointing</source>
        <translation>梯度检查点</translation>
    </message>
    <message>
        <source>optimiser step without foreach (parameter by parameter)</source>
        <translation>不用 foreach 的优化器步（逐个参数）</translation>
    </message>
    <message>
        <source>float32 masters</source>
        <translation>float32 主权重</translation>
    </message>
    <message>
        <source>kahan rounding</source>
        <translation>Kahan 舍入</translation>
    </message>
    <message>
        <source>float32 adapters</source>
        <translation>float32 适配器</translation>
    </message>
    <message>
        <source>stochastic rounding</source>
        <translation>随机舍入</translation>
    </message>
    <message>
        <source>%1 base</source>
        <translation>%1 基座</translation>
    </message>
    <message>
        <source>updated in backward</source>
        <translation>反向中更新</translation>
    </message>
    <message>
        <source>chunked loss head</source>
        <translation>分块损失头</translation>
    </message>
    <message>
        <source>%1 attention</source>
        <translation>%1 注意力</translation>
    </message>
    <message>
        <source>batch %1 x %2</source>
        <translation>批 %1 x %2</translation>
    </message>
    <message>
        <source>%1 row a pass</source>
        <translation>每遍 %1 行</translation>
    </message>
    <message>
        <source>%1 rows a pass</source>
        <translation>每遍 %1 行</translation>
    </message>
    <message>
        <source>%1 over %2 devices</source>
        <translation>%1 跨 %2 个设备</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 个设备</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 个参数</translation>
    </message>
    <message>
        <source>%1 by %2</source>
        <translation>%1，用 %2</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between parts of a list</comment>
        <translation>，</translation>
    </message>
    <message>
        <source>times are of %1 run without tracing, in turns with the other methods; memory is of a traced run</source>
        <translation>时间取自 %1 次不作追踪的运行，与其他方法轮流进行；内存取自一次追踪的运行</translation>
    </message>
    <message>
        <source>times are of %1 runs without tracing, in turns with the other methods; memory is of a traced run</source>
        <translation>时间取自 %1 次不作追踪的运行，与其他方法轮流进行；内存取自一次追踪的运行</translation>
    </message>
    <message>
        <source>data: builtin: %1 records, %2 tokens (%3), %4 rows of %5</source>
        <translation>数据：内置：%1 条记录，%2 个词元（%3），%4 行，每行 %5 个</translation>
    </message>
    <message>
        <source>data: builtin: a record a sample (%1); %2 members, %3 others, %4 for perplexity, %5 for the base model and the features</source>
        <translation>数据：内置：每条记录一个样本（%1）；成员 %2 个，其他 %3 个，用于困惑度 %4 个，用于基础模型和特征 %5 个</translation>
    </message>
    <message>
        <source>data: %1: a line a sample; %2 members, %3 others, %4 for perplexity, %5 for the base model and the features</source>
        <translation>数据：%1：每行一个样本；成员 %2 个，其他 %3 个，用于困惑度 %4 个，用于基础模型和特征 %5 个</translation>
    </message>
    <message>
        <source>data: %1: rows of data.seq + 1 tokens; %2 members, %3 others, %4 for perplexity, %5 for the base model and the features</source>
        <translation>数据：%1：每行 data.seq + 1 个词元；成员 %2 个，其他 %3 个，用于困惑度 %4 个，用于基础模型和特征 %5 个</translation>
    </message>
    <message>
        <source>data: %1: rows of tokens (zlib packs the ids' digits); %2 members, %3 others, %4 for perplexity, %5 for the base model and the features</source>
        <translation>数据：%1：词元行（zlib 压缩编号的数字）；成员 %2 个，其他 %3 个，用于困惑度 %4 个，用于基础模型和特征 %5 个</translation>
    </message>
    <message>
        <source>data: %1: %2 files, %3 tokens (%4), %5 rows of %6</source>
        <translation>数据：%1：%2 个文件，%3 个词元（%4），%5 行，每行 %6 个</translation>
    </message>
    <message>
        <source>data: %1: %2 tokens (%3), %4 rows of %5</source>
        <translation>数据：%1：%2 个词元（%3），%4 行，每行 %5 个</translation>
    </message>
    <message>
        <source>data: %1: %2 rows, %3 tokens</source>
        <translation>数据：%1：%2 行，%3 个词元</translation>
    </message>
    <message>
        <source>data: the tokens of the builtin records (%1) pass the model's vocabulary of %2 and were folded into it</source>
        <translation>数据：内置记录的词元（%1）超出模型 %2 的词表，已折入其中</translation>
    </message>
    <message>
        <source>data: token ids pass the model's vocabulary and were folded into it</source>
        <translation>数据：词元编号超出模型的词表，已折入其中</translation>
    </message>
    <message>
        <source>data: rows of up to %1 tokens were cut to data.seq = %2</source>
        <translation>数据：最长 %1 个词元的行已截为 data.seq = %2</translation>
    </message>
    <message>
        <source>data: rows of different lengths: shorter ones are padded, and padding is not predicted</source>
        <translation>数据：各行长度不同：较短的已填充，填充部分不参与预测</translation>
    </message>
    <message>
        <source>data: %1 repeated samples were left out</source>
        <translation>数据：略去 %1 个重复的样本</translation>
    </message>
    <message>
        <source>data: %1 samples were cut to data.seq + 1 = %2 tokens</source>
        <translation>数据：%1 个样本已截为 data.seq + 1 = %2 个词元</translation>
    </message>
    <message>
        <source>weights: too many to draw on the CPU, so the device drew them: others than a CPU run's</source>
        <translation>权重：数量过多，无法在 CPU 上抽取，改由设备抽取，与 CPU 运行的不同</translation>
    </message>
    <message>
        <source>clipping auto: %1 row at a time; all per-sample gradients are held</source>
        <translation>自动裁剪：每次 %1 行；保留全部逐样本梯度</translation>
    </message>
    <message>
        <source>clipping auto: %1 rows at a time; all per-sample gradients are held</source>
        <translation>自动裁剪：每次 %1 行；保留全部逐样本梯度</translation>
    </message>
    <message>
        <source>clipping auto: %1 row at a time; %2</source>
        <translation>自动裁剪：每次 %1 行；%2</translation>
    </message>
    <message>
        <source>clipping auto: %1 rows at a time; %2</source>
        <translation>自动裁剪：每次 %1 行；%2</translation>
    </message>
    <message>
        <source>privacy: epsilon is that of Poisson batches; these take the rows in order (training.privacy.poisson is false)</source>
        <translation>隐私：ε 按泊松批计算；此处各批按顺序取行（training.privacy.poisson 为 false）</translation>
    </message>
    <message>
        <source>privacy: norms are made of products in TF32; that no row adds more than max_grad_norm rests on training.norm_safety</source>
        <translation>隐私：范数由 TF32 乘积得出；每行的贡献不超过 max_grad_norm，靠 training.norm_safety 保证</translation>
    </message>
    <message>
        <source>privacy: the noise comes from a seeded generator, fit for measuring, not for releasing a model</source>
        <translation>隐私：噪声来自带种子的生成器，适合测量，不适合发布模型</translation>
    </message>
    <message>
        <source>privacy: no epsilon: %1</source>
        <translation>隐私：没有 ε：%1</translation>
    </message>
    <message>
        <source>step %1 drew no rows: its update is noise alone. The loss is that of the last step with rows, the gradient norm that of the noise</source>
        <translation>第 %1 步没有抽到行：其更新只有噪声。损失取自上一个抽到行的步，梯度范数为噪声的范数</translation>
    </message>
    <message>
        <source>step %1 drew no rows: its update is noise alone</source>
        <translation>第 %1 步没有抽到行：其更新只有噪声</translation>
    </message>
    <message>
        <source>%1 steps drew no rows (the last of them step %2): their updates are noise alone. The loss is that of the last step with rows, the gradient norm that of the noise</source>
        <translation>%1 个步没有抽到行（最后一个是第 %2 步）：它们的更新只有噪声。损失取自上一个抽到行的步，梯度范数为噪声的范数</translation>
    </message>
    <message>
        <source>%1 steps drew no rows (the last of them step %2): their updates are noise alone</source>
        <translation>%1 个步没有抽到行（最后一个是第 %2 步）：它们的更新只有噪声</translation>
    </message>
    <message>
        <source>memory: that of rank %1, the highest peak of %2 ranks</source>
        <translation>内存：取自 rank %1，它在 %2 个 rank 中峰值最高</translation>
    </message>
    <message>
        <source>resumed from what an interrupted run had finished</source>
        <translation>从中断的运行已完成的部分继续</translation>
    </message>
    <message>
        <source>the measured product and its symmetry are those of %1 alone: no requested quantity holds a vector of all parameters</source>
        <translation>所测的乘积及其对称性只属于 %1：所请求的量都不保存全部参数的向量</translation>
    </message>
    <message>
        <source>features: alignment needs at least 3 rows in the batch and is not a number here</source>
        <translation>特征：对齐度要求批中至少有 3 行，此处不是数</translation>
    </message>
    <message>
        <source>block_diagonal: rows are too many to be blocks; tensors were taken</source>
        <translation>block_diagonal：行太多，不能作为块；改用张量</translation>
    </message>
    <message>
        <source>eigenvalues: not converged after %1 products; their residuals bound the error</source>
        <translation>特征值：%1 次乘积后仍未收敛；残差给出误差上界</translation>
    </message>
    <message>
        <source>finite differences: step %1, %2 of %3 kinks crossed, product off by %4 of its length</source>
        <translation>有限差分：步长 %1，越过 %3 个折点中的 %2 个，乘积偏差为其长度的 %4</translation>
    </message>
    <message>
        <source>finite differences: rounding at this step is larger than the product, so no digit is right. Use a larger curvature.step, dtype "float64", or method "auto"</source>
        <translation>有限差分：在此步长下舍入误差大于乘积，没有一位数字正确。请用更大的 curvature.step、dtype "float64" 或方法 "auto"</translation>
    </message>
    <message>
        <source>embedding: the units differ in no feature</source>
        <translation>嵌入：各单元的特征没有差别</translation>
    </message>
    <message>
        <source>embedding: the same for all units and left out: %1</source>
        <translation>嵌入：对所有单元相同，已略去：%1</translation>
    </message>
    <message>
        <source>embedding: %1 units without %2 have its mean</source>
        <translation>嵌入：%1 个单元没有 %2，取其均值</translation>
    </message>
    <message>
        <source>the rows differ by no more than the rounding of their numbers: what the embedding shows is noise, and it is not scored</source>
        <translation>各行之差不超过数值的舍入：嵌入显示的是噪声，不予评分</translation>
    </message>
    <message>
        <source>no scores: they would praise noise</source>
        <translation>没有评分：否则会把噪声评为好</translation>
    </message>
    <message>
        <source>no trustworthiness: it needs three rows or more</source>
        <translation>没有可信度：至少需要三行</translation>
    </message>
    <message>
        <source>the thresholds leave %1 empty, so classes are by rank: the upper third of alignment less sparsity is Wfunc, the lower third Wsens</source>
        <translation>按阈值 %1 为空，因此按名次分类：对齐度减稀疏度的上三分之一为 Wfunc，下三分之一为 Wsens</translation>
    </message>
    <message>
        <source>there are too few units for three classes: %1 is empty</source>
        <translation>单元太少，不足以分成三类：%1 为空</translation>
    </message>
    <message>
        <source>%1 unit has no alignment or sparsity and counts as Wboth</source>
        <translation>%1 个单元没有对齐度或稀疏度，计为 Wboth</translation>
    </message>
    <message>
        <source>%1 units have no alignment or sparsity and count as Wboth</source>
        <translation>%1 个单元没有对齐度或稀疏度，计为 Wboth</translation>
    </message>
    <message>
        <source>the check of small noise against the Hessian's trace was left out: its float64 copies of the model exceed the size limit or the budget</source>
        <translation>略去了小噪声与 Hessian 迹的核对：所需的模型 float64 副本超出规模上限或预算</translation>
    </message>
    <message>
        <source>prm.finetune_epochs is 0: nothing was memorised, so attacks have nothing to find</source>
        <translation>prm.finetune_epochs 为 0：没有记住任何内容，因此攻击无从发现</translation>
    </message>
    <message>
        <source>synthetic: units, features and answers come from a random generator; nothing was trained, perturbed or measured</source>
        <translation>合成数据：单元、特征和响应来自随机数生成器；没有训练、扰动或测量任何内容</translation>
    </message>
    <message>
        <source>a dry run: LibTorch's own allocator and operators on a stand-in of %1; kernels did nothing, so no number was computed and no time measured</source>
        <translation>空跑：在 %1 的替身上使用 LibTorch 自己的分配器和算子；内核什么也不做，因此未计算任何数值，也未测量时间</translation>
    </message>
    <message>
        <source>a dry run: the program's own allocator and operators on a stand-in of %1; kernels did nothing, so its output is not a result</source>
        <translation>空跑：程序自己的分配器和算子运行在 %1 的替身上；内核不做计算，因此程序的输出不是结果</translation>
    </message>
    <message>
        <source>%1 value read back from the card could not be computed: %2; a size that depends on one uses a fixed value instead</source>
        <translation>从显卡读回的 %1 个值无法计算：%2；取决于它的大小改用固定值</translation>
    </message>
    <message>
        <source>%1 values read back from the card could not be computed: %2; a size that depends on one uses a fixed value instead</source>
        <translation>从显卡读回的 %1 个值无法计算：%2；取决于它们的大小改用固定值</translation>
    </message>
    <message>
        <source>NCCL takes memory of its own beside this, in no number here: about %1 for %2 communicator, as users of other cards reported it</source>
        <translation>NCCL 另占显存，不计入此处任何数字：%2 个通信器约 %1，据其他显卡用户的报告</translation>
    </message>
    <message>
        <source>NCCL takes memory of its own beside this, in no number here: about %1 for %2 communicators, as users of other cards reported it</source>
        <translation>NCCL 另占显存，不计入此处任何数字：%2 个通信器约 %1，据其他显卡用户的报告</translation>
    </message>
    <message>
        <source>masks and counts on the card were not followed, and read as fixed answers: %1</source>
        <translation>显卡上的掩码与计数未被跟踪，按固定值读取：%1</translation>
    </message>
    <message>
        <source>PyTorch %1 has not been compared with a card or another release: what it needs of CUDA was read from its own files</source>
        <translation>PyTorch %1 尚未与显卡或其他版本比较：它对 CUDA 的需求取自其自身的文件</translation>
    </message>
    <message>
        <source>files saved by the program, without valid values: %1, %2; they were written to a scratch folder and deleted (--allow-saves writes them to their paths)</source>
        <translation>程序保存的文件（数值无效）：%1 个，%2；它们写入临时文件夹后已删除（--allow-saves 会写到原路径）</translation>
    </message>
    <message>
        <source>not reached within the steps: %1; what these take is in no number (--through-eval goes on to one batch of an evaluation and one save)</source>
        <translation>在这些步数内未到达：%1；它们所占的内存不在任何数字之中（--through-eval 会继续到一个评估批次和一次保存）</translation>
    </message>
    <message>
        <source>max-autotune: of %1 products the first kernel was taken, since none can be timed here</source>
        <translation>max-autotune：%1 个乘积取了第一个内核，因为此处无法计时</translation>
    </message>
    <message>
        <source>%1 of %2 s passed before the card was used; if weights are drawn or read on the host, --ghost FOLDER avoids that</source>
        <translation>使用显卡之前已过去 %1 秒（共 %2 秒）；若权重在主机上生成或读取，可用 --ghost 目录避免</translation>
    </message>
    <message>
        <source>the program put nothing on the card: it ran on the processor</source>
        <translation>程序没有在显卡上放置任何内容：它在处理器上运行</translation>
    </message>
    <message>
        <source>PyTorch's own history is missing: it is written when a program ends by itself. So there are no lines, no stacks and no snapshot</source>
        <translation>没有 PyTorch 自己的历史：它在程序自行结束时写出。因此没有代码行、调用栈和快照</translation>
    </message>
    <message>
        <source>on the processor PyTorch held %1 at most</source>
        <translation>PyTorch 在处理器上最多持有 %1</translation>
    </message>
    <message>
        <source>the program was still running</source>
        <translation>程序仍在运行</translation>
    </message>
    <message>
        <source>the program was stopped</source>
        <translation>程序已被停止</translation>
    </message>
    <message>
        <source>the program was ended by signal %1</source>
        <translation>程序被信号 %1 结束</translation>
    </message>
    <message>
        <source>the program ended with status %1</source>
        <translation>程序以状态 %1 结束</translation>
    </message>
    <message>
        <source>no optimiser took a step (backward passes: %1): what an optimiser holds once it has stepped is in no number</source>
        <translation>优化器未执行任何一步（反向传播：%1 次）：优化器执行后所持有的内存不在任何数字之中</translation>
    </message>
    <message>
        <source>no optimiser of PyTorch took a step (backward passes: %1): each pass counts as a step, and another optimiser's states as inputs</source>
        <translation>PyTorch 的优化器未执行任何一步（反向传播：%1 次）：每次反向传播计为一步，程序自己的优化器所持有的计入输入</translation>
    </message>
    <message>
        <source>%1 has stepped and holds nothing: none of its parameters had a gradient</source>
        <translation>%1 已执行但不持有任何状态：它的参数均没有梯度</translation>
    </message>
    <message>
        <source>dry runs of %1 optimiser steps each: what comes later and takes more is not in them</source>
        <translation>空跑，每次 %1 个优化器步：之后占用更多的不在其中</translation>
    </message>
    <message>
        <source>of %1 ranks %2 run, each without the others; a value fits that fits each of them</source>
        <translation>%1 个 rank 中运行 %2 个，各自不运行其他 rank；每个都放得下的值才算放得下</translation>
    </message>
    <message>
        <source>what NCCL takes for itself, %1 by a margin, is in no number: a lower --target leaves room for it</source>
        <translation>NCCL 自身所占（余量 %1）不计入任何数字：用较低的 --target 为它留出空间</translation>
    </message>
    <message>
        <source>a program ended without a step of an optimiser: what a step takes is not in its bytes</source>
        <translation>有一个程序未执行优化器步就结束：一步所占不在其字节数中</translation>
    </message>
    <message>
        <source>values that the program read back from the card could not be computed: sizes that depend on them use fixed values instead</source>
        <translation>程序从显卡读回的值无法计算：取决于它们的大小改用固定值</translation>
    </message>
    <message>
        <source>one rank of %1, without the others: they are taken to hold what rank %2 holds</source>
        <translation>%1 个 rank 之一，不运行其他 rank：假定它们所占与 rank %2 相同</translation>
    </message>
    <message>
        <source>the program made no process group: it ran as one process on its own, not as a rank of %1</source>
        <translation>程序没有建立进程组：它作为单个进程独自运行，并非 %1 个进程中的一个</translation>
    </message>
    <message>
        <source>cuda:%1 is shown; of the other devices the program held at most: %2</source>
        <translation>显示的是 cuda:%1；程序在其他设备上最多占用：%2</translation>
    </message>
    <message>
        <source>memory: that of rank %1, the highest peak of the %2 ranks that were run</source>
        <translation>内存：rank %1 的，为所运行的 %2 个 rank 中峰值最高者</translation>
    </message>
    <message>
        <source>integers from other ranks were replaced in %1 call: %2. An exchange returns this rank's own values, a receive a fixed value, so dependent sizes may differ on real cards</source>
        <translation>来自其他 rank 的整数在 %1 次调用中被替换：%2。交换返回本 rank 自己的值，接收返回固定值，因此相关的大小在真实显卡上可能不同</translation>
    </message>
    <message>
        <source>integers from other ranks were replaced in %1 calls: %2. An exchange returns this rank's own values, a receive a fixed value, so dependent sizes may differ on real cards</source>
        <translation>来自其他 rank 的整数在 %1 次调用中被替换：%2。交换返回本 rank 自己的值，接收返回固定值，因此相关的大小在真实显卡上可能不同</translation>
    </message>
    <message>
        <source>sizes queried from the card's libraries that the stand-in does not have: %1</source>
        <translation>向显卡的库查询、而替身没有的大小：%1</translation>
    </message>
    <message>
        <source>the peak is a lower bound: of the card's libraries' own memory only a minimum is known: %1</source>
        <translation>峰值是下界：显卡的库自身占用的显存只知道最小值：%1</translation>
    </message>
    <message>
        <source>may grow: %1 left %2 alive in %3 steps</source>
        <translation>可能增长：%1 在 %3 步中留下 %2 未释放</translation>
    </message>
    <message>
        <source>%1 more stacks grow or may grow</source>
        <translation>另有 %1 个调用栈在增长或可能增长</translation>
    </message>
    <message>
        <source>Each expert is taken to get as many tokens. If all went to the same %1, the peak would be %2.</source>
        <translation>假定每个专家得到同样多的词元。若全部去往同样的 %1 个专家，峰值将为 %2。</translation>
    </message>
    <message>
        <source>All tokens are taken to go to the same %1 experts, the most that one can get.</source>
        <translation>假定所有词元都进入同样的 %1 个专家，这是单个专家可能得到的最多词元数。</translation>
    </message>
    <message>
        <source>data.routing: all tokens went to the same %1 experts</source>
        <translation>data.routing：所有词元都进入同样的 %1 个专家</translation>
    </message>
    <message>
        <source>data.seq: %1 tokens are more than the %2 positions that the model was made for (model.max_positions)</source>
        <translation>data.seq：%1 个词元多于该模型设计时的 %2 个位置（model.max_positions）</translation>
    </message>
    <message>
        <source>data.routing: each expert got as many tokens; if all went to the same %1, the peak would be about %2</source>
        <translation>data.routing：每个专家得到同样多的词元；若全部进入同样的 %1 个，峰值约为 %2</translation>
    </message>
    <message>
        <source>data.routing: skewed is for plans and dry runs; this run routed its own tokens</source>
        <translation>data.routing：skewed 只用于规划和空跑；本次运行按实际路由分配词元</translation>
    </message>
    <message>
        <source>each expert is taken to get as many tokens; "estimate" gives the peak for skewed loads too</source>
        <translation>假定每个专家得到同样多的词元；“estimate” 也给出负载倾斜时的峰值</translation>
    </message>
    <message>
        <source>loss head naive: Liger hides the head from Opacus</source>
        <translation>损失头为 naive：Liger 使 Opacus 看不到输出层</translation>
    </message>
    <message>
        <source>loss head naive: Liger has no chunked loss for %1</source>
        <translation>损失头为 naive：Liger 没有 %1 的分块损失</translation>
    </message>
    <message>
        <source>loss head chunked: TRL has no other</source>
        <translation>损失头为 chunked：TRL 没有别的</translation>
    </message>
    <message>
        <source>Does not fit: the dry run ran out of memory with %1 of %2 reserved.</source>
        <translation>放不下：空跑在保留 %1（共 %2）时内存不足。</translation>
    </message>
    <message>
        <source>devices: %1 x %2 (%3)</source>
        <translation>更多设备：%1 x %2（%3）</translation>
    </message>
    <message>
        <source>devices: no number of %1 up to %2 fits it by ZeRO-3: one layer or its activations are too large</source>
        <translation>更多设备：至多 %2 个 %1 用 ZeRO-3 也放不下：一层或其激活过大</translation>
    </message>
    <message>
        <source>devices: more of them hold no more of %1 than one: trace, density, eigenvalues and single entries are what shards have</source>
        <translation>更多设备：多个设备所容纳的 %1 并不比一个多；能分片的是迹、谱密度、特征值和单个元素</translation>
    </message>
    <message>
        <source>a smaller model: %1 (%2 parameters) is the largest of the family in the catalogue that runs as requested on one %3</source>
        <translation>更小的模型：%1（%2 个参数）是目录中同一系列里按要求能在一块 %3 上运行的最大模型</translation>
    </message>
    <message>
        <source>a smaller model: %1 (%2 parameters) is the largest of the family in the catalogue that runs as requested on %3</source>
        <translation>更小的模型：%1（%2 个参数）是目录中同一系列里按要求能在 %3 上运行的最大模型</translation>
    </message>
    <message>
        <source>a smaller model: %1 (%2 parameters) is the largest of the catalogue that runs as requested on one %3</source>
        <translation>更小的模型：%1（%2 个参数）是目录中按要求能在一块 %3 上运行的最大模型</translation>
    </message>
    <message>
        <source>a smaller model: %1 (%2 parameters) is the largest of the catalogue that runs as requested on %3</source>
        <translation>更小的模型：%1（%2 个参数）是目录中按要求能在 %3 上运行的最大模型</translation>
    </message>
    <message>
        <source>no approximation fits: the smallest found (%1) misses %2</source>
        <translation>没有放得下的近似：找到的最小一个（%1）还差 %2</translation>
    </message>
    <message>
        <source>an approximation: %1: %2 of %3. %4</source>
        <translation>近似：%1：%2（共 %3）。%4</translation>
    </message>
    <message>
        <source>operators as LibTorch's CUDA kernels allocate; training steps on an H100 took 0.1 to 0.5 % more, what cuBLAS keeps for itself (docs/gpu.md)</source>
        <translation>各算子按 LibTorch 的 CUDA 内核分配；H100 上的训练步多占 0.1 到 0.5 %，是 cuBLAS 自己保留的（docs/gpu.md）</translation>
    </message>
    <message>
        <source>No, not on %1 x %2: %3. Yes on %4 of them, %5: %6.</source>
        <translation>%1 块 %2 不行：%3。%4 块可以，%5：%6。</translation>
    </message>
    <message>
        <source>at least %1 each</source>
        <translation>每块至少 %1</translation>
    </message>
    <message>
        <source>about %1 of %2 each, batch %3 x %4 in passes of %5 over %6 devices</source>
        <translation>每块约 %1 / %2，批量 %3 x %4，每趟 %5 行，共 %6 块设备</translation>
    </message>
    <message>
        <source>%1 of %2 each, batch %3 x %4 in passes of %5 over %6 devices</source>
        <translation>每块 %1 / %2，批量 %3 x %4，每趟 %5 行，共 %6 块设备</translation>
    </message>
    <message>
        <source>about %1 of %2 each, batch %3 x %4 over %5 devices</source>
        <translation>每块约 %1 / %2，批量 %3 x %4，共 %5 块设备</translation>
    </message>
    <message>
        <source>%1 of %2 each, batch %3 x %4 over %5 devices</source>
        <translation>每块 %1 / %2，批量 %3 x %4，共 %5 块设备</translation>
    </message>
    <message>
        <source>a step of whole rows of %1 tokens has %2 tokens; %3 were requested</source>
        <translation>每行 %1 个 token，一步的整行共 %2 个 token；要求的是 %3 个</translation>
    </message>
    <message>
        <source>eigenvalues: finite differences are off by %1 in the first, by an exact product; another curvature.step may be nearer, method "auto" is exact</source>
        <translation>特征值：按一次精确乘积，有限差分在第一个值上偏差 %1；换一个 curvature.step 可能更准，方法 "auto" 是精确的</translation>
    </message>
    <message>
        <source>eigenvalues: finite differences are off by %1 in the first, by an exact product</source>
        <translation>特征值：按一次精确乘积，有限差分在第一个值上偏差 %1</translation>
    </message>
    <message>
        <source>over the budget of %1: %2 more were requested while %3 were allocated, at %4</source>
        <translation>超出预算 %1：已分配 %3 时又请求了 %2，位于 %4</translation>
    </message>
    <message>
        <source>over the budget of %1: %2 more were requested while %3 were allocated</source>
        <translation>超出预算 %1：已分配 %3 时又请求了 %2</translation>
    </message>
    <message>
        <source>%1 allocates %2 % more than the fitted line</source>
        <translation>%1 比拟合直线多分配 %2 %</translation>
    </message>
    <message>
        <source>%1 allocates %2 % less than the fitted line</source>
        <translation>%1 比拟合直线少分配 %2 %</translation>
    </message>
    <message>
        <source>%1 is the end of the range, not of the card: more may fit; go on with --vary %2</source>
        <translation>%1 是范围的末端，不是显卡的极限：更大的值可能也放得下；用 --vary %2 继续</translation>
    </message>
    <message>
        <source>%1: its steps request different bytes, so other rows may take more than the first. To try seeds 0 to %2, put {draw} in the arguments</source>
        <translation>%1：各步请求的字节不同，其他行可能比第一批占用更多。要尝试种子 0 到 %2，请在参数中写入 {draw}</translation>
    </message>
    <message>
        <source>%1 does not fit the program's own limit; the card has room for it. That limit is a share of what --target leaves of the card</source>
        <translation>%1 超出程序自己的限制；显卡放得下它。该限制是 --target 在显卡上留出部分的一个比例</translation>
    </message>
    <message>
        <source>%1 fits though %2 does not: what the program takes does not rise with it</source>
        <translation>%1 放得下，而 %2 放不下：程序的占用不随它增加</translation>
    </message>
    <message>
        <source>%1 in %2 draws of its rows reserves %3 to %4</source>
        <translation>%1 抽取 %2 次不同的行，预留 %3 到 %4</translation>
    </message>
    <message>
        <source>%1 of weights are in mapped files, or in other memory that PyTorch did not allocate; they count as parameters</source>
        <translation>有 %1 的权重位于映射的文件或不由 PyTorch 分配的其他内存中；它们计为参数</translation>
    </message>
    <message>
        <source>%1 were allocated before the recorder was attached</source>
        <translation>有 %1 在记录器接入之前就已分配</translation>
    </message>
    <message>
        <source>the disk was full: what the program did afterwards was not recorded</source>
        <translation>磁盘已满：程序此后所做的没有被记录</translation>
    </message>
    <message>
        <source>the search did not end: more may fit than the largest that ran</source>
        <translation>搜索没有结束：能容纳的可能比已运行的最大值更多</translation>
    </message>
</context>
<context>
    <name>peakscope::PlanInputs</name>
    <message>
        <source>%1: “%2” is not a whole number from 1 to 2³⁰; leave it empty for any</source>
        <translation>%1：“%2”不是 1 到 2³⁰ 的整数；留空表示不限</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>An id of the catalogue (type to search), a Hugging Face folder with a config.json, or a bare count: params:6.7e9</source>
        <translation>目录中的编号（输入即可搜索）、含 config.json 的 Hugging Face 文件夹，或仅参数量：params:6.7e9</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Choose a folder with a config.json</source>
        <translation>选择含 config.json 的文件夹</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>A device of this machine or of the catalogue (type to search), or any capacity: 24 GiB. A dry run's card has its name there: dry:a800-80gb</source>
        <translation>本机或目录中的设备（输入即可搜索），或任意容量：24 GiB。空跑的显卡按其名称填写：dry:a800-80gb</translation>
    </message>
    <message>
        <source>How many of this device there are</source>
        <translation>有多少个这种设备</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Plain training, second derivatives, training with differential privacy, or a perturbation experiment</source>
        <translation>普通训练、二阶导数、差分隐私训练，或扰动实验</translation>
    </message>
    <message>
        <source>any</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批</translation>
    </message>
    <message>
        <source>Rows of a step; empty: the search chooses</source>
        <translation>每步的行数；留空由搜索决定</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Tokens of a row; empty: the search chooses</source>
        <translation>每行的词元数；留空由搜索决定</translation>
    </message>
    <message>
        <source>Data type</source>
        <translation>数据类型</translation>
    </message>
    <message>
        <source>Of parameters, gradients and states; any: the search chooses</source>
        <translation>参数、梯度与状态的类型；不限则由搜索决定</translation>
    </message>
    <message>
        <source>A model's folder</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>%1, %2 parameters</source>
        <translation>%1，%2 个参数</translation>
    </message>
    <message>
        <source>%1, %2 usable</source>
        <translation>%1，可用 %2</translation>
    </message>
    <message>
        <source>This machine: %1, %2 usable</source>
        <translation>本机：%1，可用 %2</translation>
    </message>
    <message>
        <source>Model: choose one, or write a count such as params:6.7e9</source>
        <translation>模型：请选择，或写参数量，如 params:6.7e9</translation>
    </message>
    <message>
        <source>Device: choose one, or write a capacity such as 24 GiB</source>
        <translation>设备：请选择，或写容量，如 24 GiB</translation>
    </message>
</context>
<context>
    <name>peakscope::PlanPage</name>
    <message>
        <source>Puts this strategy's experiment into the queue and shows it</source>
        <translation>把此策略的实验放入队列并显示</translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>空跑</translation>
    </message>
    <message>
        <source>Runs this strategy on a stand-in of the card and counts its bytes</source>
        <translation>在该卡的替身上运行此策略并统计字节数</translation>
    </message>
    <message>
        <source>Fills the set-up of the Run workspace with this strategy, to change it before it runs</source>
        <translation>用此策略填充“运行”工作区的设置，以便在运行前修改</translation>
    </message>
    <message>
        <source>Stopped. Change a field or press Enter in it to plan again.</source>
        <translation>已停止。修改某一项或在其中按回车即可重新规划。</translation>
    </message>
    <message>
        <source>Searching strategies…</source>
        <translation>正在搜索策略…</translation>
    </message>
    <message>
        <source>Computing the map…</source>
        <translation>正在计算容量图…</translation>
    </message>
    <message>
        <source>Shown: the plan before</source>
        <translation>显示的是之前的计划</translation>
    </message>
    <message>
        <source>This plan holds no experiment or no capacity to make a map for.</source>
        <translation>此计划没有可用来作图的实验或容量。</translation>
    </message>
    <message>
        <source>Capacity map</source>
        <translation>容量图</translation>
    </message>
    <message>
        <source>Capacity map: %1</source>
        <translation>容量图：%1</translation>
    </message>
    <message>
        <source>Run this</source>
        <translation>运行此方案</translation>
    </message>
    <message>
        <source>Open in set-up</source>
        <translation>在设置中打开</translation>
    </message>
    <message>
        <source>Save plan…</source>
        <translation>保存计划…</translation>
    </message>
    <message>
        <source>Saves strategies and map as a result that opens here and exports as figures (Ctrl+S)</source>
        <translation>把策略与容量图存为结果文件，可在此打开并导出为图（Ctrl+S）</translation>
    </message>
    <message>
        <source>A plan is being computed</source>
        <translation>正在计算计划</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Strategies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Ladder</source>
        <translation>阶梯</translation>
    </message>
    <message>
        <source>Tables of the plan</source>
        <translation>计划的表格</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Comes with the next plan.</source>
        <translation>随下一个方案出现。</translation>
    </message>
    <message>
        <source>No plan yet: the error is shown below.</source>
        <translation>还没有方案：错误见下方。</translation>
    </message>
    <message>
        <source>The next plan appears here once model and device are chosen. The one before was of %1.</source>
        <translation>选定模型和设备后，新方案显示在此。之前的方案属于 %1。</translation>
    </message>
    <message>
        <source>No strategy is selected.</source>
        <translation>未选择策略。</translation>
    </message>
    <message>
        <source>Dry run on %1 cards</source>
        <translation>在 %1 块卡上空跑</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareBarsView</name>
    <message>
        <source>at most %1</source>
        <translation>最多 %1</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Planned for at most: %1</source>
        <translation>计划上限：%1</translation>
    </message>
    <message>
        <source>hatched: %1</source>
        <comment>how it was read</comment>
        <translation>阴影线：%1</translation>
    </message>
    <message>
        <source>The runs' peaks appear here, side by side.</source>
        <translation>各次运行的峰值将并排显示在此处。</translation>
    </message>
    <message>
        <source>%1, after the step</source>
        <translation>步后 %1</translation>
    </message>
    <message>
        <source>%1, at the peak</source>
        <translation>峰值处 %1</translation>
    </message>
    <message>
        <source>%1 peak</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>%1 predicted</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>%1: peak %2</source>
        <translation>%1：峰值 %2</translation>
    </message>
    <message>
        <source>An overhead needs a second run.</source>
        <translation>需要第二次运行才能显示额外开销。</translation>
    </message>
    <message>
        <source>Beyond run %1</source>
        <translation>超出运行 %1 的部分</translation>
    </message>
    <message>
        <source>By component</source>
        <translation>按组成</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>No peaks are compared.</source>
        <translation>没有可比较的峰值。</translation>
    </message>
    <message>
        <source>None of these runs has components.</source>
        <translation>这些运行都没有组成部分的数据。</translation>
    </message>
    <message>
        <source>Overhead</source>
        <translation>额外开销</translation>
    </message>
    <message>
        <source>Peak: %1</source>
        <translation>峰值：%1</translation>
    </message>
    <message>
        <source>Peaks</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Predicted peak: %1</source>
        <translation>预测峰值：%1</translation>
    </message>
    <message>
        <source>difference of the peaks</source>
        <translation>峰值之差</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>A bar is the peak of a run, its colours what the peak is made of. Hollow: predicted.</source>
        <translation>一根条形是一次运行的峰值，颜色是峰值的组成。空心：预测。</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareScatterView</name>
    <message>
        <source>Bound of %1: parameters, gradients and states, %2</source>
        <translation>%1 的下界：参数、梯度与状态，%2</translation>
    </message>
    <message>
        <source>%1 at the peak, %2 a step</source>
        <translation>峰值 %1，每步 %2</translation>
    </message>
    <message>
        <source>%1: %2 at the peak, %3 a step</source>
        <translation>%1：峰值 %2，每步 %3</translation>
    </message>
    <message>
        <source>Shows each run with a known peak and a known step time.</source>
        <translation>显示峰值和步时间均已知的运行。</translation>
    </message>
    <message>
        <source>Bound: parameters, gradients and states, %1</source>
        <translation>下界：参数、梯度与状态，%1</translation>
    </message>
    <message>
        <source>Memory against time</source>
        <translation>内存与时间</translation>
    </message>
    <message>
        <source>No run has both a peak and a step time.</source>
        <translation>没有同时具备峰值和步时间的运行。</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Time of a step</source>
        <translation>每步时间</translation>
    </message>
    <message>
        <source>A point is a run: its peak against the time of a step. Down and to the left is better.</source>
        <translation>一个点是一次运行：峰值对单步用时；越靠左下越好。</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareText</name>
    <message>
        <source>%1 in %2 of %3 rounds</source>
        <translation>%2 轮（共 %3 轮）中为 %1</translation>
    </message>
    <message>
        <source>%1: its timeline was merged at other moments than that of %2, so bytes of phases may be less than they were</source>
        <translation>%1：其时间线与 %2 的合并时刻不同，因此各阶段的字节可能比实际少</translation>
    </message>
    <message>
        <source>%1: not measured, its bytes are the most it was planned for</source>
        <translation>%1：未测量，其字节为计划上限</translation>
    </message>
    <message>
        <source>The most of this module's own bytes that was alive at one time.</source>
        <translation>该模块自身字节同时存活的最大值。</translation>
    </message>
    <message>
        <source>%1 over %2: exponent %3 ± %4 (95 %: %5 to %6), %7</source>
        <translation>%1 随 %2：指数 %3 ± %4（95 %：%5 至 %6），%7</translation>
    </message>
    <message>
        <source>%1 over %2: exponent %3</source>
        <translation>%1 随 %2：指数 %3</translation>
    </message>
    <message>
        <source>%1: %2; its peak is the highest until it ended</source>
        <translation>%1：%2；其峰值为结束前的最高值</translation>
    </message>
    <message>
        <source>%1: a result of kind %2, %3 is of kind %4</source>
        <translation>%1：结果类型为 %2，而 %3 为 %4</translation>
    </message>
    <message>
        <source>%1: a step is %2 tokens (batch × sequence), that of %3 is %4</source>
        <translation>%1：每步 %2 个词元（批 × 序列），%3 为 %4</translation>
    </message>
    <message>
        <source>%1: another model (%2) than %3 (%4), so bytes differ because the models do</source>
        <translation>%1：模型（%2）与 %3（%4）不同，字节差异来自模型本身</translation>
    </message>
    <message>
        <source>%1: computes in %2, %3 in %4</source>
        <translation>%1：以 %2 计算，%3 以 %4 计算</translation>
    </message>
    <message>
        <source>%1: imported without components, only the total can be compared</source>
        <translation>%1：导入时没有组成数据，只能比较总量</translation>
    </message>
    <message>
        <source>%1: no measured memory</source>
        <translation>%1：没有测得的内存</translation>
    </message>
    <message>
        <source>%1: no step time</source>
        <translation>%1：没有步时间</translation>
    </message>
    <message>
        <source>%1: no timeline</source>
        <translation>%1：没有时间线</translation>
    </message>
    <message>
        <source>%1: no timeline, the phases are single snapshots</source>
        <translation>%1：没有时间线，各阶段仅为单次快照</translation>
    </message>
    <message>
        <source>%1: not measured, its bytes are a prediction</source>
        <translation>%1：未测量，其字节为预测值</translation>
    </message>
    <message>
        <source>%1: nothing is known by module</source>
        <translation>%1：没有按模块的数据</translation>
    </message>
    <message>
        <source>%1: ran on %2, %3 on %4; what counts as allocated differs</source>
        <translation>%1：在 %2 上运行，%3 在 %4 上；“已分配”的含义不同</translation>
    </message>
    <message>
        <source>%1: synthetic, its numbers were made up</source>
        <translation>%1：合成数据，数值并非测得</translation>
    </message>
    <message>
        <source>%1: the components do not sum to the peak</source>
        <translation>%1：各组成部分之和不等于峰值</translation>
    </message>
    <message>
        <source>%1: the components were read after the step, they do not sum to the peak</source>
        <translation>%1：组成在步后读取，加起来不等于峰值</translation>
    </message>
    <message>
        <source>%1: the source does not have %2</source>
        <translation>%1：来源中没有 %2</translation>
    </message>
    <message>
        <source>%1: the step time is the %2, that of %3 the %4</source>
        <translation>%1：步时间为 %2，%3 的为 %4</translation>
    </message>
    <message>
        <source>%1: timed while the memory ledger recorded, %2 without it</source>
        <translation>%1：计时时内存账本在记录，%2 则没有</translation>
    </message>
    <message>
        <source>%1: timed without the memory ledger, %2 with it</source>
        <translation>%1：计时时没有内存账本，%2 则有</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>组成</translation>
    </message>
    <message>
        <source>Module kinds</source>
        <translation>模块类别</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Own maxima</source>
        <translation>各自最大值</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>步时间</translation>
    </message>
    <message>
        <source>The most that was alive at one time while this phase lasted.</source>
        <translation>该阶段内同时存活的最大字节数。</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Totals</source>
        <translation>总量</translation>
    </message>
    <message>
        <source>between linear and quadratic</source>
        <translation>介于线性与二次之间</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>less than linear</source>
        <translation>低于线性</translation>
    </message>
    <message>
        <source>linear and quadratic both fit</source>
        <translation>线性与二次均符合</translation>
    </message>
    <message>
        <source>linear</source>
        <translation>线性</translation>
    </message>
    <message>
        <source>more than quadratic</source>
        <translation>高于二次</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>over budget</source>
        <translation>超出预算</translation>
    </message>
    <message>
        <source>quadratic</source>
        <translation>二次</translation>
    </message>
    <message>
        <source>%1: the machine was too busy for its times to be compared</source>
        <translation>%1：机器太忙，其时间不可比较</translation>
    </message>
    <message>
        <source>%1: its time over that of %2 differs from round to round (%3)</source>
        <translation>%1：其时间与 %2 之比在各轮之间不一致（%3）</translation>
    </message>
    <message>
        <source>too busy to compare</source>
        <translation>机器太忙，不可比较</translation>
    </message>
    <message>
        <source>Highest totals</source>
        <translation>最高总量</translation>
    </message>
    <message>
        <source>Selected range</source>
        <translation>所选范围</translation>
    </message>
    <message>
        <source>The highest total of every run within the range, on the common time axis.</source>
        <translation>在公共时间轴的该范围内，各运行的最高总量。</translation>
    </message>
    <message>
        <source>no timeline</source>
        <translation>无时间线</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareTimelineView</name>
    <message>
        <source>%1 at a snapshot</source>
        <translation>%1（快照处）</translation>
    </message>
    <message>
        <source>%1 of %2 runs are visible</source>
        <translation>可见 %2 次运行中的 %1 次</translation>
    </message>
    <message>
        <source>%1 runs; the highest peak is that of %2 with %3, the lowest that of %4 with %5.</source>
        <translation>%1 次运行；最高峰值为 %2 的 %3，最低为 %4 的 %5。</translation>
    </message>
    <message>
        <source>At %1:</source>
        <translation>在 %1：</translation>
    </message>
    <message>
        <source>At their peaks:</source>
        <translation>各自峰值：</translation>
    </message>
    <message>
        <source>Choose two or more runs in the library to see them under one another.</source>
        <translation>在库中选择两次或更多运行，即可上下对照显示。</translation>
    </message>
    <message>
        <source>Memory (%1)</source>
        <translation>内存（%1）</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>内存随时间的变化</translation>
    </message>
    <message>
        <source>No timelines are compared.</source>
        <translation>没有可比较的时间线。</translation>
    </message>
    <message>
        <source>None of these runs holds a memory timeline or snapshots; bars and tables still compare them.</source>
        <translation>这些运行都没有内存时间线或快照；条形图和表格仍可比较它们。</translation>
    </message>
    <message>
        <source>Overlaid</source>
        <translation>叠加</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Under one another</source>
        <translation>上下排列</translation>
    </message>
    <message>
        <source>no timeline</source>
        <translation>无时间线</translation>
    </message>
    <message>
        <source>A strip is a run, all on one scale of memory, so that heights compare. Bands are components.</source>
        <translation>一条是一次运行，所有条共用内存刻度，因此高度可以比较；色带是组成部分。</translation>
    </message>
</context>
<context>
    <name>peakscope::ComparePage</name>
    <message>
        <source>snapshots</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>snapshots, in order</source>
        <translation>快照，按先后顺序</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Choose two or more runs in the library (Ctrl+click, Shift+click) and press Compare, or open a folder of results. You get timelines on one axis, peaks side by side, and tables of differences and ratios.</source>
        <translation>在库中选择两个或更多运行（Ctrl+单击、Shift+单击）并按“比较”，或打开一个结果文件夹。随后显示共用一条轴的时间线、并排的峰值，以及差值与比值的表格。</translation>
    </message>
    <message>
        <source>Compare runs</source>
        <translation>比较运行</translation>
    </message>
    <message>
        <source>Comparing the runs…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>Differences and ratios are taken against this run</source>
        <translation>差值与比值均以此运行为基准</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>First measured step</source>
        <translation>首个测量步</translation>
    </message>
    <message>
        <source>Growth</source>
        <translation>增长</translation>
    </message>
    <message>
        <source>Memory against time</source>
        <translation>内存与时间</translation>
    </message>
    <message>
        <source>Memory over the time of run %1</source>
        <translation>内存随运行 %1 的时间</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>内存随时间的变化</translation>
    </message>
    <message>
        <source>Mind:</source>
        <translation>注意：</translation>
    </message>
    <message>
        <source>Open results to compare…</source>
        <translation>打开要比较的结果…</translation>
    </message>
    <message>
        <source>Peaks</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Phases (stretched)</source>
        <translation>阶段（拉伸）</translation>
    </message>
    <message>
        <source>Start of the run</source>
        <translation>运行开始</translation>
    </message>
    <message>
        <source>The first %1 of %2 runs are compared; more cannot be read side by side.</source>
        <translation>仅比较 %2 次运行中的前 %1 次；更多则无法并排阅读。</translation>
    </message>
    <message>
        <source>This run holds no measured memory.</source>
        <translation>此运行没有测得的内存。</translation>
    </message>
    <message>
        <source>This run was imported without a timeline.</source>
        <translation>此运行导入时没有时间线。</translation>
    </message>
    <message>
        <source>How the runs are aligned on the time axis. Phases: durations are stretched to those of the run compared against; else every run keeps its own.</source>
        <translation>各运行在时间轴上的对齐方式。阶段：时长拉伸到与对照运行相同；否则各运行保持自己的时长。</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 条</translation>
    </message>
    <message>
        <source>What grew</source>
        <translation>增长</translation>
    </message>
    <message>
        <source>Memory of the snapshots</source>
        <translation>快照的内存</translation>
    </message>
    <message>
        <source>Fullest: %1, %2 allocated, %3 reserved</source>
        <translation>占用最多：%1，分配 %2，保留 %3</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareTables</name>
    <message>
        <source>None of these runs holds any.</source>
        <translation>这些运行都没有此类数据。</translation>
    </message>
    <message>
        <source>A to B, at ends</source>
        <translation>A 到 B（结束时）</translation>
    </message>
    <message>
        <source>A to B, at peaks</source>
        <translation>A 到 B（峰值时）</translation>
    </message>
    <message>
        <source>Two CUDA memory snapshots show which line holds more.</source>
        <translation>两个 CUDA 内存快照可显示哪行代码占用更多。</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>The runs have the same settings.</source>
        <translation>这些运行的设置相同。</translation>
    </message>
    <message>
        <source>Growth</source>
        <translation>增长</translation>
    </message>
    <message>
        <source>Three runs or more that differ only in sequence, batch, rank or size show how the peak grows.</source>
        <translation>三次或更多仅在序列、批、秩或规模上不同的运行可显示峰值如何增长。</translation>
    </message>
    <message>
        <source>Not comparable</source>
        <translation>不可比</translation>
    </message>
    <message>
        <source>No reservations about comparing these runs.</source>
        <translation>比较这些运行没有需要注意之处。</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvatureConvergenceView</name>
    <message>
        <source>Hutch++ (%1 products)</source>
        <translation>Hutch++（%1 次乘积）</translation>
    </message>
    <message>
        <source>Hutch++: %1, 95 % interval %2 to %3</source>
        <translation>Hutch++：%1，95 % 区间 %2 到 %3</translation>
    </message>
    <message>
        <source>Hutch++: %1, no interval</source>
        <translation>Hutch++：%1，无区间</translation>
    </message>
    <message>
        <source>Hutchinson</source>
        <translation>Hutchinson</translation>
    </message>
    <message>
        <source>its 95 % interval</source>
        <translation>其 95 % 区间</translation>
    </message>
    <message>
        <source>Probes</source>
        <translation>探针</translation>
    </message>
    <message>
        <source>Entries computed</source>
        <translation>已算元素</translation>
    </message>
    <message>
        <source>Hessian-vector products</source>
        <translation>Hessian-向量积</translation>
    </message>
    <message>
        <source>Convergence</source>
        <translation>收敛</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>迹</translation>
    </message>
    <message>
        <source>Diagonal</source>
        <translation>对角线</translation>
    </message>
    <message>
        <source>Eigenvalues</source>
        <translation>特征值</translation>
    </message>
    <message>
        <source>Shows how the trace, the diagonal's mean and the top eigenvalues converge, from the first products on.</source>
        <translation>从首批乘积开始，显示迹、对角元均值和最大特征值的收敛过程。</translation>
    </message>
    <message>
        <source>No estimate yet.</source>
        <translation>尚无估计。</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Mean entry</source>
        <translation>元素均值</translation>
    </message>
    <message>
        <source>Eigenvalue</source>
        <translation>特征值</translation>
    </message>
    <message>
        <source>%1: %2 ± %3</source>
        <translation>%1：%2 ± %3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2, exact</source>
        <translation>%1：%2，精确</translation>
    </message>
    <message>
        <source>%1: %2, no interval yet</source>
        <translation>%1：%2，尚无区间</translation>
    </message>
    <message>
        <source>%1: %2, 95 % interval %3 to %4</source>
        <translation>%1：%2，95 % 区间 %3 至 %4</translation>
    </message>
    <message>
        <source> (±%1 %)</source>
        <translation>（±%1 %）</translation>
    </message>
    <message>
        <source>After %1 probes – </source>
        <translation>%1 个探针之后 – </translation>
    </message>
    <message>
        <source>After %1 entries – </source>
        <translation>%1 个元素之后 – </translation>
    </message>
    <message>
        <source>After %1 products – </source>
        <translation>%1 次乘积之后 – </translation>
    </message>
    <message>
        <source>  ·  the file contains only its end</source>
        <translation>  ·  文件只存有最终值</translation>
    </message>
    <message>
        <source>± residual</source>
        <translation>± 残差</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 区间</translation>
    </message>
    <message>
        <source>Exact: nothing was estimated</source>
        <translation>精确值：没有估计</translation>
    </message>
    <message>
        <source>A line is an estimate as samples are added. The band is its 95 % interval.</source>
        <translation>一条线是随样本增加的估计值；色带是它的 95 % 区间。</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvatureHistogramView</name>
    <message>
        <source>Magnitude of the entry |h| (logarithmic)</source>
        <translation>元素的绝对值 |h|（对数）</translation>
    </message>
    <message>
        <source>Diagonal by module kind</source>
        <translation>按模块类型的对角线</translation>
    </message>
    <message>
        <source>Which diagonal</source>
        <translation>哪条对角线</translation>
    </message>
    <message>
        <source>Which diagonal: of the Hessian, of the Gauss-Newton matrix or of the empirical Fisher</source>
        <translation>哪条对角线：Hessian、Gauss-Newton 矩阵或经验 Fisher</translation>
    </message>
    <message>
        <source>|h|</source>
        <translation>|h|</translation>
    </message>
    <message>
        <source>Signed</source>
        <translation>带符号</translation>
    </message>
    <message>
        <source>Magnitudes on a logarithmic axis</source>
        <translation>对数轴上的绝对值</translation>
    </message>
    <message>
        <source>Signed values; logarithmic on both sides of zero</source>
        <translation>带符号的值；零两侧均为对数</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Shows the entries of the diagonal once the first tensor is done.</source>
        <translation>第一个张量完成后，此处显示对角元。</translation>
    </message>
    <message>
        <source>No diagonal: add the quantity diagonal.</source>
        <translation>没有对角元：请添加量 diagonal。</translation>
    </message>
    <message>
        <source>%1 entries were computed, from %2 to %3; they are too many to be listed in the result.</source>
        <translation>计算了 %1 个元素，从 %2 到 %3；数量太多，结果中没有逐一列出。</translation>
    </message>
    <message>
        <source>Diagonal entry h</source>
        <translation>对角元素 h</translation>
    </message>
    <message>
        <source>n = %1, %2 % zero</source>
        <translation>n = %1，%2 % 为零</translation>
    </message>
    <message>
        <source>, %1 % negative</source>
        <translation>，%1 % 为负</translation>
    </message>
    <message>
        <source>%1: %2 entries (%3 %) from %4 to %5  ·  %6</source>
        <translation>%1：%2 个元素（%3 %），从 %4 到 %5  ·  %6</translation>
    </message>
    <message>
        <source>%1, %2 entries from %3 to %4: %5 % exactly zero, %6 % negative.</source>
        <translation>%1，%2 个元素，从 %3 到 %4：%5 % 恰为零，%6 % 为负。</translation>
    </message>
    <message>
        <source>Mean over all parameters %1, 95 % interval %2 to %3.</source>
        <translation>全部参数的均值 %1，95 % 区间 %2 至 %3。</translation>
    </message>
    <message>
        <source>A row is a kind of module, its height the number of diagonal entries with that value.</source>
        <translation>一行是一类模块；高度表示有多少对角元取该值。</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvatureLayersView</name>
    <message>
        <source>Layers and module kinds</source>
        <translation>层与模块类型</translation>
    </message>
    <message>
        <source>Mean |h|</source>
        <translation>|h| 均值</translation>
    </message>
    <message>
        <source>Mean h</source>
        <translation>h 均值</translation>
    </message>
    <message>
        <source>Mean magnitude of the diagonal's entries</source>
        <translation>对角元素绝对值的均值</translation>
    </message>
    <message>
        <source>Signed mean: blue below zero, orange above</source>
        <translation>带符号的均值：蓝色为负，橙色为正</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Shows which layers have the largest curvature, once entries of the diagonal are known.</source>
        <translation>得到对角元后，此处显示哪些层的曲率最大。</translation>
    </message>
    <message>
        <source>No map: add the quantity diagonal or block_diagonal.</source>
        <translation>没有图：请添加量 diagonal 或 block_diagonal。</translation>
    </message>
    <message>
        <source>%1: no entry</source>
        <translation>%1：没有元素</translation>
    </message>
    <message>
        <source>mean |h| %1</source>
        <translation>|h| 均值 %1</translation>
    </message>
    <message>
        <source>mean h %1</source>
        <translation>h 均值 %1</translation>
    </message>
    <message>
        <source>%1: %2 over %3 entries</source>
        <translation>%1：%2，共 %3 个元素</translation>
    </message>
    <message>
        <source>%1: %2, from the traces of its blocks</source>
        <translation>%1：%2，来自各块的迹</translation>
    </message>
    <message>
        <source>No entry</source>
        <translation>没有元素</translation>
    </message>
    <message>
        <source>Curved most: %1.</source>
        <translation>曲率最大：%1。</translation>
    </message>
    <message>
        <source>A cell is the mean of the Hessian&apos;s diagonal over one kind of module in one layer.</source>
        <translation>一格是 Hessian 对角线在一层中一类模块上的均值。</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvatureMatrixView</name>
    <message>
        <source>Full Hessian</source>
        <translation>完整 Hessian</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>线性</translation>
    </message>
    <message>
        <source>Colours by the logarithm of the magnitude, five decades on each side of zero</source>
        <translation>颜色按绝对值的对数，零的两侧各五个数量级</translation>
    </message>
    <message>
        <source>Colours in proportion to the value</source>
        <translation>颜色与数值成正比</translation>
    </message>
    <message>
        <source>Columns, by tensor</source>
        <translation>列（按张量）</translation>
    </message>
    <message>
        <source>Rows, by tensor</source>
        <translation>行（按张量）</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>No matrix: add the quantity full (models of up to %1 parameters, or some of their tensors).</source>
        <translation>没有矩阵：请添加量 full（参数不超过 %1 的模型，或其中部分张量）。</translation>
    </message>
    <message>
        <source>Shows the whole matrix once all its columns are computed.</source>
        <translation>所有列计算完成后，此处显示整个矩阵。</translation>
    </message>
    <message>
        <source>Root mean square</source>
        <translation>均方根</translation>
    </message>
    <message>
        <source>Entry</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Largest entry</source>
        <translation>格内最大元素</translation>
    </message>
    <message>
        <source>Entry %1</source>
        <translation>元素 %1</translation>
    </message>
    <message>
        <source>Root mean square %1</source>
        <translation>均方根 %1</translation>
    </message>
    <message>
        <source>Largest entry %1</source>
        <translation>最大元素 %1</translation>
    </message>
    <message>
        <source>Largest entry %1, root mean square %2</source>
        <translation>最大元素 %1，均方根 %2</translation>
    </message>
    <message>
        <source>  ·  row %1 × column %2</source>
        <translation>  ·  行 %1 × 列 %2</translation>
    </message>
    <message>
        <source>  ·  norm of the block %1</source>
        <translation>  ·  该块的范数 %1</translation>
    </message>
    <message>
        <source>%1 × %1 entries, the largest %2 in magnitude.</source>
        <translation>%1 × %1 个元素，绝对值最大为 %2。</translation>
    </message>
    <message>
        <source>%1 % of its squares lie within tensors; the heaviest block is %2 × %3.</source>
        <translation>平方和的 %1 % 位于各张量内部；最重的块是 %2 × %3。</translation>
    </message>
    <message>
        <source>A cell is a second derivative of the loss by two parameters, or a mean of several.</source>
        <translation>一格是损失对两个参数的二阶导数，或若干个的均值。</translation>
    </message>
</context>
<context>
    <name>peakscope::ReadoutPlot</name>
    <message>
        <source>Values at the cursor</source>
        <translation>光标处的值</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvatureSpectrumView</name>
    <message>
        <source>Spectrum of the Hessian</source>
        <translation>Hessian 的谱</translation>
    </message>
    <message>
        <source>Eigenvalue λ</source>
        <translation>特征值 λ</translation>
    </message>
    <message>
        <source>Density (1/λ)</source>
        <translation>密度（1/λ）</translation>
    </message>
    <message>
        <source>No spectrum: add the quantity density, eigenvalues or, for a small model, full.</source>
        <translation>没有谱：请添加量 density、eigenvalues，小模型也可用 full。</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Shows the density of the eigenvalues once its first probe is done.</source>
        <translation>第一个探针完成后，此处显示特征值密度。</translation>
    </message>
    <message>
        <source>Eigenvalue %1</source>
        <translation>特征值 %1</translation>
    </message>
    <message>
        <source>: density %1</source>
        <translation>：密度 %1</translation>
    </message>
    <message>
        <source>nearest of the top ones: number %1, %2, residual %3</source>
        <translation>最近的最大特征值：第 %1 个，%2，残差 %3</translation>
    </message>
    <message>
        <source>Top eigenvalues</source>
        <translation>最大特征值</translation>
    </message>
    <message>
        <source>Largest by magnitude: %1 (residual %2).</source>
        <translation>绝对值最大：%1（残差 %2）。</translation>
    </message>
    <message>
        <source>%1 % of the eigenvalues lie within %2 of zero, %3 % below that.</source>
        <translation>%1 % 的特征值在零的 %2 之内，%3 % 更低。</translation>
    </message>
    <message>
        <source>The curve is the density of eigenvalues around λ. Marks are single eigenvalues. Right of zero the loss curves upwards.</source>
        <translation>曲线表示 λ 附近有多少特征值；标记是单个特征值；零的右侧损失向上弯曲。</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvaturePage</name>
    <message>
        <source>K-FAC factors</source>
        <translation>K-FAC 因子</translation>
    </message>
    <message>
        <source>L-BFGS</source>
        <translation>L-BFGS</translation>
    </message>
    <message>
        <source>Two Kronecker factors in place of a layer's block of the empirical Fisher matrix; the exact trace shows their error.</source>
        <translation>以两个 Kronecker 因子代替一层在经验 Fisher 矩阵中的块；精确迹显示其误差。</translation>
    </message>
    <message>
        <source>An approximation from differences of gradients, compared with exact products with random vectors. The Hessian itself would have an error of 0 and a cosine of 1.</source>
        <translation>由梯度之差得到的近似，与随机向量的精确乘积相比：误差为 0、余弦为 1 即为 Hessian 本身。</translation>
    </message>
    <message>
        <source>Convergence</source>
        <translation>收敛</translation>
    </message>
    <message>
        <source>Spectrum</source>
        <translation>谱</translation>
    </message>
    <message>
        <source>Diagonal</source>
        <translation>对角线</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Eigenvalues</source>
        <translation>特征值</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Diagonal entries</source>
        <translation>对角元素</translation>
    </message>
    <message>
        <source>Estimates</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>Comes with the run.</source>
        <translation>随运行而来。</translation>
    </message>
    <message>
        <source>This result holds none.</source>
        <translation>此结果中没有。</translation>
    </message>
    <message>
        <source>%1 entries are more than a table shows; export the histogram with its data, or convert the result.</source>
        <translation>%1 个元素超出表格的显示范围；请导出直方图及其数据，或转换结果。</translation>
    </message>
    <message>
        <source>%1 products/s</source>
        <translation>%1 次乘积/秒</translation>
    </message>
    <message>
        <source>%1 % of the budget of %2</source>
        <translation>预算 %2 的 %1 %</translation>
    </message>
    <message>
        <source>Eigenvalue %1</source>
        <translation>特征值 %1</translation>
    </message>
    <message>
        <source>An eigenpair of the Hessian found by Lanczos iteration. An eigenvalue lies within the residual |Hv − λv| of the value given.</source>
        <translation>由 Lanczos 迭代求得的 Hessian 特征对。在所给值的残差 |Hv − λv| 之内必有一个特征值。</translation>
    </message>
    <message>
        <source>The Hessian restricted to these parameters, directions outside them being zero. How much the blocks leave out is measured over all of them.</source>
        <translation>限制在这些参数上的 Hessian，其外方向为零。各块遗漏了多少，是对所有块一起测得的。</translation>
    </message>
    <message>
        <source>A second derivative of the loss along one parameter.</source>
        <translation>损失沿一个参数的二阶导数。</translation>
    </message>
    <message>
        <source>The estimate after each number of probes, entries or products, with its 95 % interval.</source>
        <translation>各探针数、元素数或乘积数之后的估计值，附 95 % 区间。</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>矩阵</translation>
    </message>
    <message>
        <source>Pairs of tensors</source>
        <translation>张量对</translation>
    </message>
    <message>
        <source>The part of the whole Hessian whose rows are of one tensor and whose columns are of another. Its share counts both halves: the matrix is symmetric.</source>
        <translation>完整 Hessian 中行属于一个张量、列属于另一个张量的部分。占比计入两半：矩阵是对称的。</translation>
    </message>
    <message>
        <source>%1 of its %2 eigenvalues</source>
        <translation>%2 个特征值中的 %1 个</translation>
    </message>
    <message>
        <source>Its %1 eigenvalues</source>
        <translation>全部 %1 个特征值</translation>
    </message>
    <message>
        <source>Below zero</source>
        <translation>小于零</translation>
    </message>
</context>
<context>
    <name>peakscope::CurvatureText</name>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Gauss-Newton</source>
        <translation>Gauss-Newton</translation>
    </message>
    <message>
        <source>Empirical Fisher</source>
        <translation>经验 Fisher</translation>
    </message>
    <message>
        <source>Hessian</source>
        <translation>Hessian</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>迹</translation>
    </message>
    <message>
        <source>Mean of the diagonal</source>
        <translation>对角线均值</translation>
    </message>
    <message>
        <source>Eigenvalue %1</source>
        <translation>特征值 %1</translation>
    </message>
    <message>
        <source>Layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>Outside</source>
        <translation>层外</translation>
    </message>
    <message>
        <source>Density of all eigenvalues</source>
        <translation>全部特征值的密度</translation>
    </message>
    <message>
        <source>Density by Lanczos quadrature: %1 steps, %2 probes</source>
        <translation>Lanczos 求积的密度：%1 步，%2 个探针</translation>
    </message>
    <message>
        <source>Density of one eigenvalue</source>
        <translation>单个特征值的密度</translation>
    </message>
</context>
<context>
    <name>peakscope::LibraryModel</name>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>no tag</source>
        <translation>无标签</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>group (number of runs)</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Own runs</source>
        <translation>自己的运行</translation>
    </message>
    <message>
        <source>Imports</source>
        <translation>导入的文件</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>示例</translation>
    </message>
</context>
<context>
    <name>peakscope::SweepWords</name>
    <message>
        <source>Sequence (tokens)</source>
        <translation>序列长度（词元）</translation>
    </message>
    <message>
        <source>Batch (rows)</source>
        <translation>批大小（行）</translation>
    </message>
    <message>
        <source>Physical batch (rows)</source>
        <translation>物理批大小（行）</translation>
    </message>
    <message>
        <source>LoRA rank</source>
        <translation>LoRA 秩</translation>
    </message>
    <message>
        <source>Clipping method</source>
        <translation>裁剪方法</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Median step time</source>
        <translation>单步时间中位数</translation>
    </message>
    <message>
        <source>Spread of the step time</source>
        <translation>单步时间离散度</translation>
    </message>
    <message>
        <source>Predicted peak memory</source>
        <translation>预测峰值内存</translation>
    </message>
    <message>
        <source>Memory needed when it was refused</source>
        <translation>被拒绝时所需内存</translation>
    </message>
    <message>
        <source>Time of the whole run</source>
        <translation>整次运行时间</translation>
    </message>
    <message>
        <source>%1 at the peak</source>
        <translation>峰值处的%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>key: value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>All points</source>
        <translation>全部点</translation>
    </message>
    <message>
        <source>Not in the sweep</source>
        <translation>不在扫描中</translation>
    </message>
    <message>
        <source>Not run yet</source>
        <translation>尚未运行</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Over budget (measured)</source>
        <translation>超出预算（实测）</translation>
    </message>
    <message>
        <source>Over budget (predicted, not run)</source>
        <translation>超出预算（预测，未运行）</translation>
    </message>
    <message>
        <source>Values exclude one another</source>
        <translation>取值互斥</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <comment>as the script calls it</comment>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>Does not fit (dry run)</source>
        <translation>放不下（空跑）</translation>
    </message>
    <message>
        <source>Dry run</source>
        <translation>空跑</translation>
    </message>
    <message>
        <source>Predicted, not measured</source>
        <translation>预测值，未测量</translation>
    </message>
    <message>
        <source>Peak reserved memory</source>
        <translation>保留内存峰值</translation>
    </message>
</context>
<context>
    <name>peakscope::SweepHeatMapView</name>
    <message>
        <source>Heat map</source>
        <translation>热力图</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>度量</translation>
    </message>
    <message>
        <source>Across</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>Upwards</source>
        <translation>纵轴</translation>
    </message>
    <message>
        <source>Setting of the other keys</source>
        <translation>其余键的取值</translation>
    </message>
    <message>
        <source>One row</source>
        <translation>单行</translation>
    </message>
    <message>
        <source>Shows the points of a sweep.</source>
        <translation>显示扫描的各个点。</translation>
    </message>
    <message>
        <source>%1 of %2 points</source>
        <translation>%1 / %2 个点</translation>
    </message>
    <message>
        <source>A cell is a point of the sweep, its colour the measure chosen above. Hatched: refused. Hollow: predicted.</source>
        <translation>一格是扫描中的一个点，颜色是上方所选的量。斜线：被拒绝；空心：预测。</translation>
    </message>
</context>
<context>
    <name>peakscope::SweepHeatChart</name>
    <message>
        <source>%1 as colour</source>
        <comment>measure</comment>
        <translation>颜色：%1</translation>
    </message>
    <message>
        <source>%1: %2, not measured</source>
        <comment>measure: value</comment>
        <translation>%1：%2，未测量</translation>
    </message>
    <message>
        <source>Predicted from %1 to %2.</source>
        <translation>预测值从 %1 到 %2。</translation>
    </message>
    <message>
        <source>%1: %2, measured</source>
        <comment>measure: value</comment>
        <translation>%1：%2，实测</translation>
    </message>
    <message>
        <source> (spread %1 over %2 steps%3)</source>
        <translation>（离散度 %1，共 %2 步%3）</translation>
    </message>
    <message>
        <source>, with tracing</source>
        <translation>，含跟踪</translation>
    </message>
    <message>
        <source>, needed %1 when it was refused</source>
        <translation>，被拒绝时需要 %1</translation>
    </message>
    <message>
        <source>; predicted %1</source>
        <translation>；预测 %1</translation>
    </message>
    <message>
        <source>Point at a cell for its values; a double click opens its run.</source>
        <translation>指向单元格可查看数值；双击打开对应的运行。</translation>
    </message>
    <message>
        <source>No sweep.</source>
        <translation>没有扫描。</translation>
    </message>
    <message>
        <source>Heat map of %1 over %2 and %3: %4 points, %5 of them finished, %6 over the budget.</source>
        <translation>%1 关于 %2 与 %3 的热力图：%4 个点，其中 %5 个已完成，%6 个超出预算。</translation>
    </message>
    <message>
        <source>Measured from %1 to %2.</source>
        <translation>实测范围 %1 至 %2。</translation>
    </message>
    <message>
        <source>, on a machine too busy to compare times</source>
        <translation>，机器太忙，时间不可比较</translation>
    </message>
    <message>
        <source>%1: %2, dry run</source>
        <comment>measure: value</comment>
        <translation>%1：%2，空跑</translation>
    </message>
    <message>
        <source>budget %1</source>
        <translation>预算 %1</translation>
    </message>
    <message>
        <source>numbers: %1 in %2</source>
        <comment>measure in unit</comment>
        <translation>数字：%1（%2）</translation>
    </message>
</context>
<context>
    <name>peakscope::GrowthWords</name>
    <message>
        <source>no growth law: there is only one value above 0, and a power law cannot include 0</source>
        <translation>没有增长规律：只有一个大于 0 的值，而幂律不包含 0</translation>
    </message>
    <message>
        <source>the points do not determine the growth</source>
        <translation>这些点无法确定增长规律</translation>
    </message>
    <message>
        <source>hardly changes</source>
        <translation>几乎不变</translation>
    </message>
    <message>
        <source>falls</source>
        <translation>下降</translation>
    </message>
    <message>
        <source>less than linear</source>
        <translation>低于线性</translation>
    </message>
    <message>
        <source>linear</source>
        <translation>线性</translation>
    </message>
    <message>
        <source>between linear and quadratic</source>
        <translation>介于线性与二次之间</translation>
    </message>
    <message>
        <source>quadratic</source>
        <translation>二次</translation>
    </message>
    <message>
        <source>more than quadratic</source>
        <translation>高于二次</translation>
    </message>
    <message>
        <source>exponent %1</source>
        <translation>指数 %1</translation>
    </message>
    <message>
        <source> (95 %: %1 to %2)</source>
        <translation>（95 %：%1 至 %2）</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>two changes</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>one point</source>
        <translation>一个点</translation>
    </message>
    <message>
        <source>two points, joined</source>
        <translation>两个点，直线相连</translation>
    </message>
    <message>
        <source>points joined: they do not determine an exponent</source>
        <translation>点已连线：无法确定指数</translation>
    </message>
    <message>
        <source>%1 above %2</source>
        <comment>exponent, bytes</comment>
        <translation>%1，基线 %2</translation>
    </message>
    <message>
        <source>%1 from %2 to %3</source>
        <comment>change, lowest and highest value</comment>
        <translation>从 %2 到 %3 变化 %1</translation>
    </message>
    <message>
        <source>two values: nothing is known between them</source>
        <translation>两个取值：其间未知</translation>
    </message>
    <message>
        <source>%1: two values each, nothing is known between them</source>
        <translation>%1：各只有两个取值，其间情况未知</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>this leaves 0 out</source>
        <translation>此处不计 0</translation>
    </message>
    <message>
        <source>%1 along %2: %3</source>
        <comment>measure, key, how it grows</comment>
        <translation>%1 沿 %2：%3</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between parts of a sentence</comment>
        <translation>；</translation>
    </message>
    <message>
        <source>above %1</source>
        <translation>基线 %1 之上</translation>
    </message>
    <message>
        <source>above parameters and their states</source>
        <translation>参数及其状态之上</translation>
    </message>
    <message>
        <source>what parameters hold is not known: no exponent</source>
        <translation>参数占用未知：不给出指数</translation>
    </message>
    <message>
        <source>what parameters hold is not known: no common exponent</source>
        <translation>参数占用未知：不给出共同的指数</translation>
    </message>
</context>
<context>
    <name>peakscope::SweepTrendView</name>
    <message>
        <source>%1, logarithmic</source>
        <comment>title of an axis</comment>
        <translation>%1（对数）</translation>
    </message>
    <message>
        <source>Trends</source>
        <translation>趋势</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>度量</translation>
    </message>
    <message>
        <source>Along</source>
        <translation>沿</translation>
    </message>
    <message>
        <source>Shows measured points along a numeric key.</source>
        <translation>显示沿某个数值键的测量点。</translation>
    </message>
    <message>
        <source>first %1 of %2 settings</source>
        <translation>%2 组设置中的前 %1 组</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting: fit</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>No trends.</source>
        <translation>没有趋势。</translation>
    </message>
    <message>
        <source>; some times are of a busy machine</source>
        <translation>；部分时间测自繁忙的机器</translation>
    </message>
    <message>
        <source>A point is a run. A line is the power law fitted to points that differ in this key only.</source>
        <translation>一个点是一次运行；一条线是对只在该键上不同的点拟合的幂律。</translation>
    </message>
</context>
<context>
    <name>peakscope::SweepDialog</name>
    <message>
        <source>New sweep</source>
        <translation>新建扫描</translation>
    </message>
    <message>
        <source>Run the sweep</source>
        <translation>运行扫描</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Values, separated by commas</source>
        <translation>取值，以逗号分隔</translation>
    </message>
    <message>
        <source>Key %1</source>
        <translation>键 %1</translation>
    </message>
    <message>
        <source>Values of key %1</source>
        <translation>键 %1 的取值</translation>
    </message>
    <message>
        <source>Repeats of every point</source>
        <translation>每点重复次数</translation>
    </message>
    <message>
        <source>Measure time in separate runs, without the memory ledger</source>
        <translation>另行运行以测量时间，不启用内存账本</translation>
    </message>
    <message>
        <source>Leave out points that are predicted to exceed the budget</source>
        <translation>略去预计超出预算的点</translation>
    </message>
    <message>
        <source>A smaller point exceeded it, and these points are predicted to exceed it, too.</source>
        <translation>较小的点已超出预算，预计这些点也会超出。</translation>
    </message>
    <message>
        <source>Points: %1. Each runs in a separate process.</source>
        <translation>共 %1 个点，每点在独立进程中运行。</translation>
    </message>
    <message>
        <source>Not run: %1, whose values are incompatible (%2).</source>
        <translation>不运行的点：%1 个，其取值不相容（%2）。</translation>
    </message>
    <message>
        <source>Number of points that run in parallel on this machine, which makes each of them slower.</source>
        <translation>在本机上并行运行的点数；并行会使各点变慢。</translation>
    </message>
    <message>
        <source>Points at once</source>
        <translation>同时运行的点数</translation>
    </message>
    <message>
        <source>Each machine runs one point at a time. ssh must reach them without a password, and find peakscope-cli there. Empty: this machine.</source>
        <translation>每台机器一次运行一个点。ssh 须无需密码即可连接，且能在那里找到 peakscope-cli。留空：本机。</translation>
    </message>
    <message>
        <source>such as %1</source>
        <translation>例如 %1</translation>
    </message>
    <message>
        <source>Machines, through ssh</source>
        <translation>通过 ssh 使用的机器</translation>
    </message>
    <message>
        <source>The set-up already has a launcher for its machine; leave one of the two out.</source>
        <translation>设置中已指定运行的机器（启动器）；请去掉其中一个。</translation>
    </message>
    <message>
        <source>Times of points that run in parallel differ from those on an idle machine.</source>
        <translation>并行运行的点的时间与空闲机器上的不同。</translation>
    </message>
    <message>
        <source>No point is left out: the devices of the other machines are not known here.</source>
        <translation>不略去任何点：其他机器的设备在这里未知。</translation>
    </message>
</context>
<context>
    <name>peakscope::JobProcess</name>
    <message>
        <source>%1 could not be started (%2).</source>
        <translation>无法启动 %1（%2）。</translation>
    </message>
    <message>
        <source>%1 could not be started (%2). Install peakscope-cli beside this program, or set PEAKSCOPE_CLI to its path.</source>
        <translation>无法启动 %1（%2）。请把 peakscope-cli 安装在本程序旁边，或把 PEAKSCOPE_CLI 设为其路径。</translation>
    </message>
    <message>
        <source>%1 was ended by %2.</source>
        <translation>%1 被 %2 终止。</translation>
    </message>
</context>
<context>
    <name>peakscope::FitView</name>
    <message>
        <source>%1 of %2 (%3, the rest CUDA&apos;s own)</source>
        <translation>%1（共 %2；%3，其余为 CUDA 自身所占）</translation>
    </message>
    <message>
        <source>%1 reserved</source>
        <translation>保留 %1</translation>
    </message>
    <message>
        <source>%1: %2 % of what it leaves, %3</source>
        <translation>%1：所余的 %2 %，%3</translation>
    </message>
    <message>
        <source>What fits</source>
        <translation>放得下多少</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>On %1, nothing that was tried fits.</source>
        <translation>在 %1 上，试过的都放不下。</translation>
    </message>
    <message>
        <source>On %1, at least %2 %3 fits, the end of the range: %4.</source>
        <translation>在 %1 上，至少 %2 %3 放得下（范围的末端）：%4。</translation>
    </message>
    <message>
        <source>On %1, %2 %3 fits: %4.</source>
        <translation>在 %1 上，%2 %3 放得下：%4。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Shows what a search for the largest that fits has found.</source>
        <translation>显示对最大可放下值的搜索结果。</translation>
    </message>
    <message>
        <source>A point is a dry run. Filled, it fits the card; hollow, it ran out of memory, and its bytes are those before. Dashed: %1 % of what the card leaves to the allocator.</source>
        <translation>一个点是一次空跑。实心：显卡放得下；空心：内存不足，其字节数为之前所占。虚线：显卡留给分配器的内存的 %1 %。</translation>
    </message>
    <message>
        <source>A line is a GPU, a point a value that was tried. Above the dashed line it does not fit.</source>
        <translation>一条线是一种 GPU，一个点是试过的一个值；高于虚线则放不下。</translation>
    </message>
</context>
<context>
    <name>peakscope::SweepPanel</name>
    <message>
        <source>Search on</source>
        <translation>继续搜索</translation>
    </message>
    <message>
        <source>Use %1 %2</source>
        <comment>batch, its value</comment>
        <translation>使用 %1 %2</translation>
    </message>
    <message>
        <source>Sets up a search for %1 on %2</source>
        <translation>设置搜索：%1，在 %2 上</translation>
    </message>
    <message>
        <source>Sets up a dry run on %1: %2</source>
        <translation>设置在 %1 上的空跑：%2</translation>
    </message>
    <message>
        <source>What fits</source>
        <translation>放得下多少</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>热力图</translation>
    </message>
</context>
<context>
    <name>peakscope::HypothesisReport</name>
    <message>
        <source>Hypotheses</source>
        <translation>研究假设</translation>
    </message>
    <message>
        <source>Wfunc carries function: noise in it raises perplexity more than in a random group of equal size, and changes the attacks' AUC less</source>
        <translation>Wfunc 承载功能：与同样大小的随机组相比，其中的噪声使困惑度升高更多，而攻击的 AUC 变化更小</translation>
    </message>
    <message>
        <source>Wsens carries what was memorised: noise in it changes the attacks' AUC more than in a random group of equal size, and raises perplexity less</source>
        <translation>Wsens 承载被记忆的内容：与同样大小的随机组相比，其中的噪声使攻击的 AUC 变化更大，而困惑度升高更少</translation>
    </message>
    <message>
        <source>Wboth carries both: noise in it raises perplexity and changes the attacks' AUC more than in a random group of equal size</source>
        <translation>Wboth 两者兼有：与同样大小的随机组相比，其中的噪声使困惑度升高更多，攻击的 AUC 变化也更大</translation>
    </message>
    <message>
        <source>Perplexity: %1; AUC of the attacks: %2</source>
        <translation>困惑度：%1；攻击的 AUC：%2</translation>
    </message>
    <message>
        <source>stronger at σ %1</source>
        <translation>σ %1 处更强</translation>
    </message>
    <message>
        <source>weaker at σ %1</source>
        <translation>σ %1 处更弱</translation>
    </message>
    <message>
        <source>alike at σ %1</source>
        <translation>σ %1 处相当</translation>
    </message>
    <message>
        <source>open at σ %1</source>
        <translation>σ %1 处未定</translation>
    </message>
    <message>
        <source>σ %1: %2 against %3, difference %4 [%5, %6], p = %7, noise seeds: %8</source>
        <translation>σ %1：%2 对 %3，差 %4 [%5, %6]，p = %7，噪声种子数：%8</translation>
    </message>
    <message>
        <source>one noise seed shows no spread to test against: prm.repeats of 2 or more is needed</source>
        <translation>只有一个噪声种子，没有可供检验的离散度：prm.repeats 需为 2 或更多</translation>
    </message>
    <message>
        <source>the noise seeds show no spread to test against</source>
        <translation>各噪声种子之间没有可供检验的离散度</translation>
    </message>
    <message>
        <source>more</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>less</source>
        <translation>更少</translation>
    </message>
    <message>
        <source>No hypotheses yet: they need responses to noise in a class and in a random group of equal size.</source>
        <translation>尚无研究假设的结论：需要某一类以及同样数量权重的随机组对噪声的响应。</translation>
    </message>
    <message>
        <source>Synthetic: these responses were generated to match the hypotheses; they are no evidence.</source>
        <translation>合成：这些响应按假设生成，不构成证据。</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>度量</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>预期</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Beside the control</source>
        <translation>与对照组相比</translation>
    </message>
    <message>
        <source>Clearest difference</source>
        <translation>最明显的差异</translation>
    </message>
    <message>
        <source>Stronger or weaker: significant at 5 % after Holm's correction. Alike: the 95 % interval lies within a quarter of the control's own change or within 0.01. Intervals of AUC hold the error of the finite samples too.</source>
        <translation>更强或更弱：经 Holm 校正后在 5 % 水平显著。相当：95 % 区间位于对照组自身变化的四分之一以内，或 0.01 以内。AUC 的区间还包含有限样本的误差。</translation>
    </message>
</context>
<context>
    <name>peakscope::LauncherText</name>
    <message>
        <source>Give it a name.</source>
        <translation>请取一个名称。</translation>
    </message>
    <message>
        <source>ssh needs a host: USER@HOST, or a name of its configuration.</source>
        <translation>ssh 需要主机：USER@HOST，或其配置中的名称。</translation>
    </message>
    <message>
        <source>A host can't begin with a dash.</source>
        <translation>主机名不能以短横线开头。</translation>
    </message>
    <message>
        <source>Enter the prefix of the worker's command.</source>
        <translation>请填写工作进程命令的前缀。</translation>
    </message>
    <message>
        <source>The program is the path of a peakscope-cli, such as /opt/peakscope/bin/peakscope-cli; leave it empty where it is on the path there.</source>
        <translation>程序是 peakscope-cli 的路径，例如 /opt/peakscope/bin/peakscope-cli；若那边的搜索路径中已有，则留空。</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Over ssh</source>
        <translation>通过 ssh</translation>
    </message>
    <message>
        <source>Slurm (srun)</source>
        <translation>Slurm（srun）</translation>
    </message>
    <message>
        <source>Own command</source>
        <translation>自定义命令</translation>
    </message>
</context>
<context>
    <name>peakscope::LauncherCheck</name>
    <message>
        <source>%1 gave no answer within %2 s. Is the machine reachable without a password or a question?</source>
        <translation>%1 在 %2 秒内没有回答。这台机器能否不需密码、不经询问就连上？</translation>
    </message>
    <message>
        <source>%1 was ended by %2.</source>
        <translation>%1 被%2终止。</translation>
    </message>
    <message>
        <source>peakscope-cli was not found there. Install it, or give its path.</source>
        <translation>那边没有找到 peakscope-cli。请安装它，或给出它的路径。</translation>
    </message>
    <message>
        <source>ssh could not connect.</source>
        <translation>ssh 无法连接。</translation>
    </message>
    <message>
        <source>%1 ended with exit status %2.</source>
        <translation>%1 以退出状态 %2 结束。</translation>
    </message>
    <message>
        <source>What answered is no peakscope-cli.</source>
        <translation>回答的不是 peakscope-cli。</translation>
    </message>
    <message>
        <source>Its output: %1</source>
        <translation>其输出：%1</translation>
    </message>
</context>
<context>
    <name>peakscope::LauncherDialog</name>
    <message>
        <source>Machines for runs</source>
        <translation>运行所用的机器</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>It answers: %1</source>
        <translation>它回答：%1</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>What the choice of machines shows</source>
        <translation>机器选择列表中显示的名称</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>USER@HOST or a name of ssh's configuration; a key must open it without a password. Of Slurm: the login node, empty where this machine is one.</source>
        <translation>USER@HOST 或 ssh 配置中的名称；须能用密钥免密登录。Slurm：登录节点，本机即是时留空。</translation>
    </message>
    <message>
        <source>Further words</source>
        <translation>其他选项</translation>
    </message>
    <message>
        <source>Options of ssh or srun, or the whole command before the worker's</source>
        <translation>ssh 或 srun 的选项，或放在工作进程命令之前的整条命令</translation>
    </message>
    <message>
        <source>peakscope-cli there</source>
        <translation>那边的 peakscope-cli</translation>
    </message>
    <message>
        <source>Its path on that machine; empty where it is on the path there</source>
        <translation>它在那台机器上的路径；已在搜索路径中则留空</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Lists the devices that the program there reports</source>
        <translation>列出那里的程序报告的设备</translation>
    </message>
    <message>
        <source>Add a machine: a server over ssh, or a cluster.</source>
        <translation>添加一台机器：通过 ssh 的服务器，或集群。</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>正在测试…</translation>
    </message>
    <message>
        <source>Command before it</source>
        <translation>前置命令</translation>
    </message>
    <message>
        <source>Machine %1</source>
        <translation>机器 %1</translation>
    </message>
</context>
<context>
    <name>peakscope::BoardDialog</name>
    <message>
        <source>Figure board</source>
        <translation>图板</translation>
    </message>
    <message>
        <source>as many as fit</source>
        <translation>放得下为止</translation>
    </message>
    <message>
        <source>Limited by the space that the figures' labels need</source>
        <translation>受图中文字所需空间限制</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列数</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>尺寸</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Preview of the page</source>
        <translation>页面预览</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Figures of the page</source>
        <translation>页面上的图</translation>
    </message>
    <message>
        <source>Drag to order, or Ctrl+Up and Ctrl+Down; F2 or a double click changes a caption</source>
        <translation>拖动以排序，或用 Ctrl+Up 与 Ctrl+Down；F2 或双击修改标题</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add a figure of what is in front in the window</source>
        <translation>添加窗口当前结果的一张图</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>One page holds at most %1 figures.</source>
        <translation>一页最多放 %1 张图。</translation>
    </message>
    <message>
        <source>Add figures of the results in front; “To the board” in the export window does the same.</source>
        <translation>添加当前结果的图；导出窗口中的“加入图板”作用相同。</translation>
    </message>
    <message>
        <source>%1 × %2 mm, columns: %3</source>
        <translation>%1 × %2 毫米，%3 列</translation>
    </message>
    <message>
        <source>more columns need a wider page</source>
        <translation>更多列需要更宽的页面</translation>
    </message>
    <message>
        <source>Save the page</source>
        <translation>保存页面</translation>
    </message>
    <message>
        <source>Figures (*.%1)</source>
        <translation>图 (*.%1)</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>另存到别处…</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
</context>
<context>
    <name>peakscope::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation>想做什么？</translation>
    </message>
    <message>
        <source>A part of a command's name</source>
        <translation>命令名称的一部分</translation>
    </message>
    <message>
        <source>Nothing has that name: no command, panel, result, setting or page of help.</source>
        <translation>没有这个名称的命令、面板、结果、设置或帮助页。</translation>
    </message>
</context>
<context>
    <name>peakscope::ViewHistory</name>
    <message>
        <source>show %1</source>
        <translation>显示%1</translation>
    </message>
    <message>
        <source>hide %1</source>
        <translation>隐藏%1</translation>
    </message>
    <message>
        <source>view of %1</source>
        <translation>%1的视图</translation>
    </message>
    <message>
        <source>selection in %1</source>
        <translation>%1中的选择</translation>
    </message>
</context>
<context>
    <name>peakscope::RanksView</name>
    <message>
        <source>Memory of every rank</source>
        <translation>各进程（rank）的内存</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Ranks in sight</source>
        <translation>可见的 rank</translation>
    </message>
    <message>
        <source>This run was not on several ranks.</source>
        <translation>此次运行没有使用多个 rank。</translation>
    </message>
    <message>
        <source>Imbalance is the largest value divided by the mean, less one. Waiting for other ranks counts as communication.</source>
        <translation>不均衡度为最大值除以平均值再减一。等待其他 rank 的时间计入通信。</translation>
    </message>
    <message>
        <source>Memory (%1)</source>
        <translation>内存（%1）</translation>
    </message>
    <message>
        <source>At %1, by rank:</source>
        <translation>%1 时各 rank：</translation>
    </message>
    <message>
        <source>At their peaks, by rank:</source>
        <translation>各 rank 的峰值：</translation>
    </message>
    <message>
        <source>No ranks are shown.</source>
        <translation>未显示任何 rank。</translation>
    </message>
    <message>
        <source>%1 ranks.</source>
        <translation>%1 个 rank。</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>over budget</source>
        <translation>超出预算</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>peaks %1</source>
        <comment>imbalance of</comment>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>own step times %1</source>
        <comment>imbalance of</comment>
        <translation>自身步时间 %1</translation>
    </message>
    <message>
        <source>Imbalance: %1</source>
        <translation>不均衡度：%1</translation>
    </message>
    <message>
        <source>communication %1</source>
        <translation>通信 %1</translation>
    </message>
    <message>
        <source>fullest: rank %1</source>
        <translation>占用最多：rank %1</translation>
    </message>
    <message>
        <source>slowest without communication: rank %1</source>
        <translation>不计通信最慢：rank %1</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>Peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>No memory record</source>
        <translation>无内存记录</translation>
    </message>
    <message>
        <source>fullest</source>
        <translation>占用最多</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>slowest</source>
        <translation>最慢</translation>
    </message>
    <message>
        <source>A strip is a rank, all on one scale of memory and time. Bands are components.</source>
        <translation>一条是一个 rank，所有条共用内存和时间刻度；色带是组成部分。</translation>
    </message>
    <message>
        <source>for %1 too</source>
        <translation>也代表 rank %1</translation>
    </message>
</context>
<context>
    <name>peakscope::RanksPage</name>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>空跑</translation>
    </message>
    <message>
        <source>Not drawn: NCCL may take %1 more on each GPU, a margin that users of other cards reported.</source>
        <translation>未画出：NCCL 在每个 GPU 上可能再占 %1，这是依据其他显卡用户报告的余量。</translation>
    </message>
</context>
<context>
    <name>peakscope::ScaleText</name>
    <message>
        <source>%1 (symlog, linear below %2)</source>
        <comment>axis: quantity, value</comment>
        <translation>%1（对称对数，%2 以下为线性）</translation>
    </message>
    <message>
        <source>%1 (symlog)</source>
        <comment>axis: quantity</comment>
        <translation>%1（对称对数）</translation>
    </message>
</context>
<context>
    <name>peakscope::ReadingText</name>
    <message>
        <source>at the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>after the step</source>
        <translation>步骤之后</translation>
    </message>
    <message>
        <source>cumulated over iterations</source>
        <translation>跨迭代累计</translation>
    </message>
    <message>
        <source>as listed</source>
        <translation>按文件所列</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>bytes, how they were read</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Read after the step, not at the peak: they do not sum to it.</source>
        <translation>在步骤之后而非峰值时读取：其和不等于峰值。</translation>
    </message>
    <message>
        <source>Summed over the iterations: never alive together, so not part of the peak.</source>
        <translation>跨迭代累加：从未同时存在，因此不属于峰值。</translation>
    </message>
    <message>
        <source>As the file lists them: they do not sum to the peak.</source>
        <translation>按文件所列：其和不等于峰值。</translation>
    </message>
</context>
<context>
    <name>peakscope::RunPlaces</name>
    <message>
        <source>Here, on the processor</source>
        <translation>在本机处理器上</translation>
    </message>
    <message>
        <source>Here, on the processor (%1)</source>
        <translation>在本机处理器上（%1）</translation>
    </message>
    <message>
        <source>Here, on %1 (%2)</source>
        <translation>在本机 %1 上（%2）</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>在 %1 上</translation>
    </message>
    <message>
        <source>Dry run on %1</source>
        <translation>在 %1 上空跑</translation>
    </message>
</context>
<context>
    <name>peakscope::ThresholdHistory</name>
    <message>
        <source>thresholds</source>
        <translation>阈值</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareWorkspace</name>
    <message>
        <source>Compare &amp;with…</source>
        <translation>与其他结果比较(&amp;W)…</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>比较(&amp;C)</translation>
    </message>
    <message>
        <source>Put the runs selected in the library side by side (Ctrl+D)</source>
        <translation>并排比较库中选定的运行（Ctrl+D）</translation>
    </message>
    <message>
        <source>Select two or more runs in the library (Ctrl+click) to compare them.</source>
        <translation>在库中选择两次或更多运行（Ctrl+单击）以进行比较。</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Plans and sweeps are not compared. Open each alone, or choose runs and points of sweeps.</source>
        <translation>计划和扫描不参与对比。请单独打开，或选择运行和扫描的点。</translation>
    </message>
</context>
<context>
    <name>peakscope::FigureExport</name>
    <message>
        <source>&amp;Save a copy…</source>
        <translation>保存副本(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Export a figure (Ctrl+E)</source>
        <translation>导出图 (Ctrl+E)</translation>
    </message>
    <message>
        <source>Figure &amp;board…</source>
        <translation>图板(&amp;B)…</translation>
    </message>
    <message>
        <source>Save a copy</source>
        <translation>保存副本</translation>
    </message>
    <message>
        <source>Results (*.json)</source>
        <translation>结果 (*.json)</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>另存到别处…</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
    <message>
        <source>A figure is made from a finished result; choose one in the library or wait for the run's end.</source>
        <translation>图由已完成的结果生成；请在结果库中选择一个，或等待运行结束。</translation>
    </message>
</context>
<context>
    <name>peakscope::FormMachines</name>
    <message>
        <source>Machines…</source>
        <translation>机器…</translation>
    </message>
    <message>
        <source>Asking “%1” for its devices…</source>
        <translation>正在向“%1”询问其设备…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>peakscope::PlanWorkspace</name>
    <message>
        <source>Open in set-up</source>
        <translation>在设置中打开</translation>
    </message>
    <message>
        <source>%1 is planned for %2. Where shall it run? It keeps to the %3 that the plan counts on.</source>
        <translation>%1 是为 %2 计划的。在哪里运行？运行不会超过计划所依据的 %3。</translation>
    </message>
    <message>
        <source>%1 is planned for %2. Where shall it run?</source>
        <translation>%1 是为 %2 计划的。在哪里运行？</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
</context>
<context>
    <name>peakscope::CommandQuestion</name>
    <message>
        <source>This set-up</source>
        <translation>此设置</translation>
    </message>
    <message>
        <source>%1 names a command that is neither one of yours nor one of your machines. It would be started with your rights: read it first.</source>
        <translation>%1 指定了一条命令，它既不是您写的，也不属于您的任何机器。它将以您的权限启动：请先看清楚。</translation>
    </message>
    <message>
        <source>%1 names a command that is too long to be read (%2 characters); it is not started.</source>
        <translation>%1 指定的命令太长（%2 个字符），无法看清；不会启动。</translation>
    </message>
    <message>
        <source>Run anyway</source>
        <translation>仍然运行</translation>
    </message>
    <message>
        <source>Run here</source>
        <translation>在本机运行</translation>
    </message>
</context>
<context>
    <name>peakscope::NextActions</name>
    <message>
        <source>Compare with…</source>
        <translation>与其他结果比较…</translation>
    </message>
    <message>
        <source>Choose results to put side by side with this one</source>
        <translation>选择要与此结果并排显示的结果</translation>
    </message>
    <message>
        <source>Export figure…</source>
        <translation>导出图…</translation>
    </message>
    <message>
        <source>Export the plot in use, or the largest one, as a figure</source>
        <translation>把正在使用的或最大的图表导出为图</translation>
    </message>
</context>
<context>
    <name>peakscope::NextRunFields</name>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Where the next run happens</source>
        <translation>下一次运行所用的设备</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>The next run ends when an allocation would pass this: 2 GiB, 512 MiB</source>
        <translation>分配将超过此值时下一次运行结束：2 GiB、512 MiB</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>peakscope::RunWorkspace</name>
    <message>
        <source>&amp;Your program…</source>
        <translation>你的程序(&amp;Y)…</translation>
    </message>
    <message>
        <source>The result of %1 could not be saved: %2. It is kept in %3.</source>
        <translation>%1 的结果无法保存：%2。它保存在 %3。</translation>
    </message>
    <message>
        <source>The file holds no snapshots of this point that could be shown.</source>
        <translation>文件中没有该点可显示的快照。</translation>
    </message>
    <message>
        <source>&amp;New run</source>
        <translation>新建运行(&amp;N)</translation>
    </message>
    <message>
        <source>New s&amp;weep…</source>
        <translation>新建扫描(&amp;W)…</translation>
    </message>
    <message>
        <source>Run &amp;again</source>
        <translation>再次运行(&amp;A)</translation>
    </message>
    <message>
        <source>New run like this</source>
        <translation>新建类似的运行</translation>
    </message>
    <message>
        <source>%1 holds no experiment of Peakscope's that could be run again</source>
        <translation>%1 不含可再次运行的 Peakscope 实验</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>停止(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Machines for runs…</source>
        <translation>运行所用的机器(&amp;M)…</translation>
    </message>
    <message>
        <source>Run the &amp;demo</source>
        <translation>运行演示(&amp;D)</translation>
    </message>
    <message>
        <source>%1 (reported by the machine behind “%2”; files and folders are looked up there)</source>
        <translation>%1（来自“%2”背后的机器；文件和文件夹在那里查找）</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>另存到别处…</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Compare &amp;methods…</source>
        <translation>比较方法(&amp;M)…</translation>
    </message>
    <message>
        <source>A program &amp;dry…</source>
        <translation>空跑程序(&amp;D)…</translation>
    </message>
</context>
<context>
    <name>peakscope::RunStarter</name>
    <message>
        <source>%1 (and %2 more)</source>
        <translation>%1（另有 %2 处）</translation>
    </message>
    <message>
        <source>This can't be run: %1</source>
        <translation>无法运行：%1</translation>
    </message>
    <message>
        <source>Edit it</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>%1: the key %2 appears twice; keep one of them.</source>
        <translation>%1：键 %2 出现了两次，请保留一个。</translation>
    </message>
    <message>
        <source>%1 cannot be run: %2. The form holds the rest of it; look through it before it runs.</source>
        <translation>%1 无法运行：%2。其余部分已填入表单；运行前请检查。</translation>
    </message>
    <message>
        <source>%1 is an experiment; its values are in the form. F5 runs it.</source>
        <translation>%1 是一个实验，已填入表单。按 F5 运行。</translation>
    </message>
    <message>
        <source>%1 is an experiment; its values are in the form, where a field needs correcting before it runs.</source>
        <translation>%1 是一个实验，已载入表单；运行前需要更正其中一项。</translation>
    </message>
    <message>
        <source>The demo is two runs: a few training steps, then the effect of noise in groups of weights. It takes a minute or two.</source>
        <translation>演示由两次运行组成：先是几个训练步，然后是在各组权重中加入噪声的效果，需要一两分钟。</translation>
    </message>
    <message>
        <source>Show the second</source>
        <translation>显示第二次运行</translation>
    </message>
</context>
<context>
    <name>peakscope::UnfinishedOffer</name>
    <message>
        <source>Discard it</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>The comparison %1 was interrupted; its finished runs are kept.</source>
        <translation>对比 %1 已中断；已完成的运行予以保留。</translation>
    </message>
    <message>
        <source>Discard them</source>
        <translation>全部丢弃</translation>
    </message>
    <message>
        <source>The sweep %1 was interrupted; its finished points are kept.</source>
        <translation>扫描 %1 已中断；已完成的点予以保留。</translation>
    </message>
    <message>
        <source>Not there any more: %1.</source>
        <translation>已不存在：%1。</translation>
    </message>
    <message>
        <source>The run %1 was interrupted when Peakscope ended.</source>
        <translation>运行 %1 在 Peakscope 退出时被中断。</translation>
    </message>
    <message>
        <source>Run it again</source>
        <translation>重新运行</translation>
    </message>
    <message>
        <source>Edit it</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Interrupted when Peakscope ended: %1.</source>
        <translation>Peakscope 退出时被中断：%1。</translation>
    </message>
    <message>
        <source>Run them again</source>
        <translation>全部重新运行</translation>
    </message>
</context>
<context>
    <name>peakscope::SweepRunner</name>
    <message>
        <source>%1 was removed from the queue before it started.</source>
        <translation>%1 在开始之前已从队列中移除。</translation>
    </message>
    <message>
        <source>%1 starts after the runs before it.</source>
        <translation>%1 在前面的任务结束后开始。</translation>
    </message>
    <message>
        <source>Do not run it</source>
        <translation>不运行</translation>
    </message>
    <message>
        <source>Sweep under way.</source>
        <translation>扫描进行中。</translation>
    </message>
    <message>
        <source>The sweep was stopped; “Run again” continues with the remaining points.</source>
        <translation>扫描已停止；“再次运行”会继续余下的点。</translation>
    </message>
    <message>
        <source>The sweep is complete.</source>
        <translation>扫描已完成。</translation>
    </message>
    <message>
        <source>Not every point of the sweep could be measured.</source>
        <translation>扫描中有些点未能测量。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>About %1 left.</source>
        <translation>约剩 %1。</translation>
    </message>
</context>
<context>
    <name>peakscope::StandingActions</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Commands…</source>
        <translation>命令(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Keys and mouse</source>
        <translation>键盘与鼠标(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About Peakscope</source>
        <translation>关于 Peakscope(&amp;A)</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>键盘与鼠标</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Wheel, + and −</source>
        <translation>滚轮、+ 和 −</translation>
    </message>
    <message>
        <source>zoom</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Drag, arrows</source>
        <translation>拖动、方向键</translation>
    </message>
    <message>
        <source>pan</source>
        <translation>平移</translation>
    </message>
    <message>
        <source>Shift+drag</source>
        <translation>Shift+拖动</translation>
    </message>
    <message>
        <source>zoom into a box</source>
        <translation>框选放大</translation>
    </message>
    <message>
        <source>Ctrl+drag</source>
        <translation>Ctrl+拖动</translation>
    </message>
    <message>
        <source>select a range</source>
        <translation>选择范围</translation>
    </message>
    <message>
        <source>Alt+click</source>
        <translation>Alt+单击</translation>
    </message>
    <message>
        <source>reference cursor</source>
        <translation>参考游标</translation>
    </message>
    <message>
        <source>Backspace</source>
        <translation>Backspace</translation>
    </message>
    <message>
        <source>back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Home</translation>
    </message>
    <message>
        <source>everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>copy the picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>copy the data</source>
        <translation>复制数据</translation>
    </message>
    <message>
        <source>Ctrl+arrows</source>
        <translation>Ctrl+方向键</translation>
    </message>
    <message>
        <source>walk over rows and cells</source>
        <translation>在行与单元格之间移动</translation>
    </message>
    <message>
        <source>offer the row or cell as a run</source>
        <translation>把该行或单元格作为一次运行提供</translation>
    </message>
    <message>
        <source>About Peakscope</source>
        <translation>关于 Peakscope</translation>
    </message>
    <message>
        <source>&lt;b&gt;Peakscope %1&lt;/b&gt;&lt;p&gt;Shows where the memory of a language model's training step goes.&lt;/p&gt;&lt;p&gt;Free software under the GNU General Public License, version 3 or later. Made with Qt, QCustomPlot, LibTorch and nlohmann/json.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Peakscope %1&lt;/b&gt;&lt;p&gt;显示语言模型训练步的内存去向。&lt;/p&gt;&lt;p&gt;自由软件，采用 GNU 通用公共许可证第 3 版或更高版本。使用 Qt、QCustomPlot、LibTorch 和 nlohmann/json 构建。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>L&amp;anguage</source>
        <translation>语言(&amp;A)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近的文件(&amp;R)</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>清空列表</translation>
    </message>
    <message>
        <source>&amp;Help on this panel</source>
        <translation>本面板的帮助(&amp;H)</translation>
    </message>
    <message>
        <source>start the run that is set up</source>
        <translation>开始已设置的运行</translation>
    </message>
</context>
<context>
    <name>peakscope::StatusLine</name>
    <message>
        <source>Reading %1 …</source>
        <translation>正在读取 %1 …</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>等待中：%1</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>waiting: %1</source>
        <translation>等待中：%1</translation>
    </message>
</context>
<context>
    <name>peakscope::WindowActions</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
</context>
<context>
    <name>peakscope::WorkspaceRail</name>
    <message>
        <source>Workspaces</source>
        <translation>工作区</translation>
    </message>
</context>
<context>
    <name>peakscope::AnalyseWorkspace</name>
    <message>
        <source>Analyse</source>
        <translation>分析</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareColumns</name>
    <message>
        <source>planned for at most %1</source>
        <translation>计划上限 %1</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Double click: show this run alone</source>
        <translation>双击：单独显示此运行</translation>
    </message>
    <message>
        <source>Take run %1 out of the comparison</source>
        <translation>将运行 %1 移出比较</translation>
    </message>
    <message>
        <source>compared against</source>
        <translation>对照基准</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>nothing measured</source>
        <translation>无测量值</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>步 %1</translation>
    </message>
    <message>
        <source>step %1, machine busy</source>
        <translation>步 %1，机器忙</translation>
    </message>
</context>
<context>
    <name>peakscope::PlanWords</name>
    <message>
        <source>%1: predicted peak %2, %3.</source>
        <translation>%1：预测峰值 %2，%3。</translation>
    </message>
    <message>
        <source>Sequence %1 is beyond the model's positions.</source>
        <translation>序列 %1 超出模型的位置范围。</translation>
    </message>
    <message>
        <source>Batch %1 × sequence %2 of “%3”: predicted peak %4, %5.</source>
        <translation>“%3”的批 %1 × 序列 %2：预测峰值 %4，%5。</translation>
    </message>
    <message>
        <source>%1: predicted peak %2.</source>
        <translation>%1：预测峰值 %2。</translation>
    </message>
    <message>
        <source>%1: %2 parameters</source>
        <translation>%1：%2 个参数</translation>
    </message>
    <message>
        <source>%1: %2 usable</source>
        <translation>%1：可用 %2</translation>
    </message>
    <message>
        <source>%1 configurations in %2</source>
        <translation>%2 内搜索 %1 种配置</translation>
    </message>
    <message>
        <source>Predicted for Peakscope's own training step; loops of Hugging Face Transformers and of plain PyTorch were measured 7 to 31 % above such a prediction.</source>
        <translation>预测的是 Peakscope 自身的训练步；实测表明，Hugging Face Transformers 和普通 PyTorch 的训练循环比此类预测高 7% 至 31%。</translation>
    </message>
    <message>
        <source>Nothing fits as it is. What would:</source>
        <translation>照此都放不下。可行的办法：</translation>
    </message>
    <message>
        <source>a loop of Transformers may not fit: 7 to 31 % more</source>
        <translation>Transformers 的训练循环可能放不下：多占 7 到 31 %</translation>
    </message>
    <message>
        <source>a loop of Transformers does not fit: 7 to 31 % more</source>
        <translation>Transformers 的训练循环放不下：多占 7 到 31 %</translation>
    </message>
</context>
<context>
    <name>peakscope::SaveFile</name>
    <message>
        <source>Save the table</source>
        <translation>保存表格</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Tables (*.csv);;LaTeX (*.tex)</source>
        <translation>表格 (*.csv);;LaTeX (*.tex)</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
    <message>
        <source>%1 can't be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>peakscope::FormSection</name>
    <message>
        <source>What this adds to the predicted peak of Peakscope's own step, against the defaults; ε is that of all steps</source>
        <translation>与默认值相比，这会使 Peakscope 自身步骤的预测峰值增加多少；ε 为全部步骤之后的值</translation>
    </message>
</context>
<context>
    <name>peakscope::MethodsDialog</name>
    <message>
        <source>vanilla: no clipping, no noise</source>
        <translation>vanilla：不裁剪、不加噪声</translation>
    </message>
    <message>
        <source>per_sample: holds each row's gradient</source>
        <translation>per_sample：保存每行的梯度</translation>
    </message>
    <message>
        <source>microbatch: one row after another</source>
        <translation>microbatch：逐行计算</translation>
    </message>
    <message>
        <source>ghost: norms from Gram matrices of T × T, a second pass for the sum</source>
        <translation>ghost：由 T × T 的 Gram 矩阵求范数，再反向一次求和</translation>
    </message>
    <message>
        <source>flash: norms summed tile by tile, a second pass for the sum</source>
        <translation>flash：分块累加求范数，再反向一次求和</translation>
    </message>
    <message>
        <source>ghost_bk: as ghost in one pass, keeps what the sum takes</source>
        <translation>ghost_bk：同 ghost，只反向一次，保留求和所需的量</translation>
    </message>
    <message>
        <source>flash_bk: as flash in one pass, keeps what the sum takes</source>
        <translation>flash_bk：同 flash，只反向一次，保留求和所需的量</translation>
    </message>
    <message>
        <source>auto: the fastest of them within the budget</source>
        <translation>auto：预算之内最快的方法</translation>
    </message>
    <message>
        <source>Rounds; each method runs once per round</source>
        <translation>轮数；每轮每种方法运行一次</translation>
    </message>
    <message>
        <source>Compare methods</source>
        <translation>比较方法</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Nothing to compare: choose a method.</source>
        <translation>没有可比较的内容：请选择一种方法。</translation>
    </message>
    <message>
        <source>Processes: %1, in sequence: one per method for its memory, then one per method and round for its time, untraced.</source>
        <translation>进程：%1 个，依次运行：每种方法一个用于测内存，然后每种方法每轮一个用于计时（不跟踪）。</translation>
    </message>
</context>
<context>
    <name>peakscope::MethodsRunner</name>
    <message>
        <source>The comparison %1 has been running since before this window was opened.</source>
        <translation>对比 %1 在此窗口打开之前就已在进行。</translation>
    </message>
    <message>
        <source>The comparison starts after the runs before it.</source>
        <translation>对比在前面的任务结束后开始。</translation>
    </message>
    <message>
        <source>Comparing methods: %1 of %2 processes are done.</source>
        <translation>正在比较方法：%2 个进程中已完成 %1 个。</translation>
    </message>
    <message>
        <source>Now: %1, round %2 of %3.</source>
        <translation>现在：%1，第 %2 轮，共 %3 轮。</translation>
    </message>
    <message>
        <source>Now: memory of %1.</source>
        <translation>现在：%1 的内存。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>The comparison is complete; its results and tables are in %1.</source>
        <translation>比较已完成；结果和表格在 %1 中。</translation>
    </message>
    <message>
        <source>The comparison was stopped.</source>
        <translation>比较已停止。</translation>
    </message>
    <message>
        <source>About %1 left.</source>
        <translation>约剩 %1。</translation>
    </message>
</context>
<context>
    <name>peakscope::RunTimelines</name>
    <message>
        <source>The program is starting: waiting for its first allocation.</source>
        <translation>程序正在启动：等待首次分配。</translation>
    </message>
    <message>
        <source>This result holds no memory timeline.</source>
        <translation>此结果没有内存时间线。</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成数据</translation>
    </message>
    <message>
        <source>dry run</source>
        <translation>空跑</translation>
    </message>
    <message>
        <source>Waiting for its turn in the queue.</source>
        <translation>正在队列中等待。</translation>
    </message>
    <message>
        <source>The worker is starting.</source>
        <translation>工作进程正在启动。</translation>
    </message>
</context>
<context>
    <name>peakscope::SnapshotText</name>
    <message>
        <source>Allocated at a snapshot</source>
        <translation>快照处已分配</translation>
    </message>
    <message>
        <source>Reserved at a snapshot</source>
        <translation>快照处已保留</translation>
    </message>
    <message>
        <source>Highest allocated until then, as recorded</source>
        <translation>截至当时已分配的最高值（文件所记）</translation>
    </message>
    <message>
        <source>Not measured between snapshots</source>
        <translation>快照之间未测量</translation>
    </message>
    <message>
        <source>Snapshot, in order</source>
        <translation>快照（按先后顺序）</translation>
    </message>
</context>
<context>
    <name>peakscope::SnapshotTimelineView</name>
    <message>
        <source>The only snapshot: %1</source>
        <translation>唯一的快照：%1</translation>
    </message>
    <message>
        <source>Memory at the snapshots</source>
        <translation>各快照处的内存</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Peak, as recorded in the file</source>
        <translation>文件中记录的峰值</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>This result holds no snapshots that could be drawn.</source>
        <translation>此结果没有可绘制的快照。</translation>
    </message>
    <message>
        <source>Time since the first snapshot (%1)</source>
        <translation>距第一个快照的时间（%1）</translation>
    </message>
    <message>
        <source>Highest snapshot: %1</source>
        <translation>最高的快照：%1</translation>
    </message>
    <message>
        <source>allocated %1</source>
        <translation>已分配 %1</translation>
    </message>
    <message>
        <source>reserved %1</source>
        <translation>已保留 %1</translation>
    </message>
    <message>
        <source>highest until then %1</source>
        <translation>截至当时最高 %1</translation>
    </message>
    <message>
        <source>No snapshots.</source>
        <translation>没有快照。</translation>
    </message>
    <message>
        <source>%1 snapshots; most was allocated at %2 with %3. Nothing was measured between them.</source>
        <translation>%1 个快照；%2 处分配最多，为 %3。快照之间没有测量。</translation>
    </message>
    <message>
        <source>A step is what was held at a named place of the program. Nothing was measured between them.</source>
        <translation>一级台阶是程序中一个命名位置处占用的字节；位置之间没有测量。</translation>
    </message>
</context>
<context>
    <name>peakscope::HessianMemoryText</name>
    <message>
        <source>Diagonal</source>
        <translation>对角</translation>
    </message>
    <message>
        <source>Block diagonal</source>
        <translation>分块对角</translation>
    </message>
    <message>
        <source>Approximate</source>
        <translation>近似</translation>
    </message>
    <message>
        <source>Full matrix</source>
        <translation>完整矩阵</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Intermediate results</source>
        <translation>中间结果</translation>
    </message>
    <message>
        <source>Hessian</source>
        <translation>Hessian</translation>
    </message>
</context>
<context>
    <name>peakscope::HessianMemoryView</name>
    <message>
        <source>Memory of a Hessian, by strategy</source>
        <translation>各策略的 Hessian 内存</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Sums (logarithmic)</source>
        <translation>总和（对数）</translation>
    </message>
    <message>
        <source>Parts (linear)</source>
        <translation>组成（线性）</translation>
    </message>
    <message>
        <source>The Hessian sizes in this result cannot be read.</source>
        <translation>无法读取此结果中的 Hessian 大小。</translation>
    </message>
    <message>
        <source>Memory (logarithmic)</source>
        <translation>内存（对数）</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>model, strategy</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Sum: %1</source>
        <translation>总和：%1</translation>
    </message>
    <message>
        <source>%1, beyond this axis</source>
        <translation>%1，超出坐标轴</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>strategy, memory</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <comment>model, memory of strategies</comment>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>No models.</source>
        <translation>没有模型。</translation>
    </message>
    <message>
        <source>A bar is the memory of a model&apos;s Hessian under one strategy, from the imported file.</source>
        <translation>一根条形是另一个程序给出的、某策略下一个模型的 Hessian 所占内存。</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareResponsesView</name>
    <message>
        <source>Answers to noise, by result</source>
        <translation>各结果对噪声的响应</translation>
    </message>
    <message>
        <source>What is drawn</source>
        <translation>绘制内容</translation>
    </message>
    <message>
        <source>ΔPPL, noise in %1</source>
        <translation>ΔPPL，噪声在 %1</translation>
    </message>
    <message>
        <source>ΔAUC (%1), noise in %2</source>
        <translation>ΔAUC（%1），噪声在 %2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>run, badge</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>some synthetic</source>
        <translation>部分为合成</translation>
    </message>
    <message>
        <source>None of these results contains responses to noise.</source>
        <translation>这些结果都不含对噪声的响应。</translation>
    </message>
    <message>
        <source>Noise σ (0, then logarithmic)</source>
        <translation>噪声 σ（0 之后为对数）</translation>
    </message>
    <message>
        <source>ΔPPL</source>
        <translation>ΔPPL</translation>
    </message>
    <message>
        <source>ΔAUC</source>
        <translation>ΔAUC</translation>
    </message>
    <message>
        <source>Point at a mark for its values.</source>
        <translation>指向标记可查看数值。</translation>
    </message>
    <message>
        <source>%1 [%2, %3]</source>
        <comment>mean and its 95 % interval</comment>
        <translation>%1 [%2, %3]</translation>
    </message>
    <message>
        <source>%1, σ %2: %3 · draws: %4</source>
        <comment>run, noise, change</comment>
        <translation>%1，σ %2：%3 · 抽样次数：%4</translation>
    </message>
    <message>
        <source>No answers to noise.</source>
        <translation>没有对噪声的响应。</translation>
    </message>
    <message>
        <source>%1 at σ %2: %3</source>
        <translation>%1，σ %2：%3</translation>
    </message>
    <message>
        <source>A curve is a result: how much worse the model gets as noise in one class of weights grows.</source>
        <translation>一条曲线是一个结果：一类权重中的噪声增大时模型变差多少。</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareClassesView</name>
    <message>
        <source>Classes of units</source>
        <translation>单元的类别</translation>
    </message>
    <message>
        <source>None of these results contains classes of units.</source>
        <translation>这些结果都不含单元的类别。</translation>
    </message>
    <message>
        <source>Part of the units (%)</source>
        <translation>占单元的比例（%）</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 个单元</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>无记录</translation>
    </message>
    <message>
        <source>%1: Wfunc %2, Wsens %3, Wboth %4</source>
        <translation>%1：Wfunc %2，Wsens %3，Wboth %4</translation>
    </message>
    <message>
        <source>No classes.</source>
        <translation>没有类别。</translation>
    </message>
    <message>
        <source>A bar is a result, its colours the part of the units in each class.</source>
        <translation>一根条形是一个结果，颜色是各类别单元所占的比例。</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareResponses</name>
    <message>
        <source>synthetic</source>
        <translation>合成</translation>
    </message>
    <message>
        <source>Not compared, because they have no responses to noise: %1.</source>
        <translation>没有对噪声的响应，未作比较：%1。</translation>
    </message>
</context>
<context>
    <name>peakscope::SnapshotWords</name>
    <message>
        <source>a part: events %1 to %2</source>
        <translation>一部分：事件 %1 至 %2</translation>
    </message>
    <message>
        <source>history whole</source>
        <translation>历史完整</translation>
    </message>
    <message>
        <source>history begins late</source>
        <translation>历史开始较晚</translation>
    </message>
    <message>
        <source>history cut: at least</source>
        <translation>历史被截断：至少</translation>
    </message>
    <message>
        <source>no history: the peak is unknown</source>
        <translation>没有历史：峰值未知</translation>
    </message>
    <message>
        <source>fragmented</source>
        <translation>碎片化</translation>
    </message>
    <message>
        <source>the program's limit</source>
        <translation>程序的上限</translation>
    </message>
    <message>
        <source>too big</source>
        <translation>过大</translation>
    </message>
    <message>
        <source>Out of memory at %1: %2 requested; %3 free in pieces of at most %4: %5</source>
        <translation>%1 处内存不足：申请 %2；空闲 %3，最大一块 %4：%5</translation>
    </message>
    <message>
        <source>Peak %1 before the record</source>
        <translation>记录之前峰值 %1</translation>
    </message>
    <message>
        <source>Peak %1 at %2</source>
        <translation>峰值 %1，在 %2</translation>
    </message>
    <message>
        <source>Peak %1 in step %2 at %3</source>
        <translation>峰值 %1，在第 %2 步的 %3</translation>
    </message>
    <message>
        <source>too few steps to detect growth</source>
        <translation>步数太少，无法判断增长</translation>
    </message>
    <message>
        <source>nothing grows</source>
        <translation>没有增长</translation>
    </message>
    <message numerus="yes">
        <source>%1, and %n more</source>
        <translation><numerusform>%1，另有 %n 处</numerusform></translation>
    </message>
    <message>
        <source>%1 held of %2 reserved when the file was written</source>
        <translation>写入文件时占用 %1，保留 %2</translation>
    </message>
    <message>
        <source>When the file was written</source>
        <translation>写入文件时</translation>
    </message>
    <message>
        <source>Before the record</source>
        <translation>记录之前</translation>
    </message>
    <message>
        <source>Event %1</source>
        <translation>事件 %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message numerus="yes">
        <source>%n blocks</source>
        <translation><numerusform>%n 个块</numerusform></translation>
    </message>
    <message>
        <source>Line</source>
        <translation>代码行</translation>
    </message>
    <message>
        <source>Stack</source>
        <translation>调用栈</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>组成部分</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>流</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>内存池</translation>
    </message>
    <message>
        <source>Step</source>
        <comment>that a block was born in</comment>
        <translation>步</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Age</source>
        <translation>存在时间</translation>
    </message>
    <message>
        <source>Peak %1 in step %2, %3</source>
        <comment>bytes, number, phase</comment>
        <translation>峰值 %1，在第 %2 步，%3</translation>
    </message>
    <message numerus="yes">
        <source>failed requests that the program survived: %n</source>
        <translation>程序未因此中断的失败请求：%n 个</translation>
    </message>
    <message>
        <source>Every step leaves memory behind: %1 in the last, most from %2</source>
        <translation>每步都留下内存未释放：最后一步 %1，大部分来自 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 may grow: %2 left in %n steps</source>
        <translation><numerusform>%1 可能增长：%n 步中留下 %2</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n blocks</source>
        <translation><numerusform>%n 个块</numerusform></translation>
    </message>
    <message>
        <source>Selected: outlined in the curve, bright in the pictures.</source>
        <translation>已选：在曲线中描出，在各图中突出显示。</translation>
    </message>
    <message>
        <source>Alive at event %1</source>
        <translation>事件 %1 时存活</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <comment>bytes, blocks</comment>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>of all that is alive at this event</source>
        <translation>占此事件时全部存活内存的比例</translation>
    </message>
    <message>
        <source>Size of the blocks</source>
        <translation>块的大小</translation>
    </message>
    <message>
        <source>what the allocator set aside for them, rounded up</source>
        <translation>分配器为其预留的大小（向上取整）</translation>
    </message>
    <message>
        <source>Largest block</source>
        <translation>最大的块</translation>
    </message>
    <message>
        <source>In the whole history</source>
        <translation>整个历史中</translation>
    </message>
    <message>
        <source>Allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Highest</source>
        <translation>最高</translation>
    </message>
    <message>
        <source>%1 at event %2</source>
        <comment>bytes, number</comment>
        <translation>%1，事件 %2</translation>
    </message>
    <message>
        <source>First</source>
        <translation>首次</translation>
    </message>
    <message>
        <source>before the history</source>
        <translation>历史之前</translation>
    </message>
    <message>
        <source>event %1</source>
        <translation>事件 %1</translation>
    </message>
    <message>
        <source>Alive at the end</source>
        <translation>结束时存活</translation>
    </message>
    <message>
        <source>Stack of most of it</source>
        <translation>占用最多的调用栈</translation>
    </message>
    <message>
        <source>Stack</source>
        <translation>调用栈</translation>
    </message>
</context>
<context>
    <name>peakscope::HolderWords</name>
    <message>
        <source>(before the record)</source>
        <translation>（记录之前）</translation>
    </message>
    <message>
        <source>(before the first phase)</source>
        <translation>（第一个阶段之前）</translation>
    </message>
    <message>
        <source>(no stack)</source>
        <translation>（无调用栈）</translation>
    </message>
    <message>
        <source>of this step</source>
        <translation>本步</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>under 10 events</source>
        <translation>少于 10 个事件</translation>
    </message>
    <message>
        <source>PyTorch's own</source>
        <translation>PyTorch 自身</translation>
    </message>
    <message>
        <source>keep nothing of a step</source>
        <translation>不要保留每一步的张量</translation>
    </message>
    <message>
        <source>stream %1</source>
        <translation>流 %1</translation>
    </message>
    <message>
        <source>pool %1</source>
        <translation>内存池 %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source>%1 events or more</source>
        <translation>%1 个事件或更多</translation>
    </message>
    <message>
        <source>backward of %1</source>
        <translation>%1 的反向</translation>
    </message>
    <message>
        <source>%1 left %2 alive in %3 steps: check what holds it there. For a list of losses or outputs, use .item() or .detach()</source>
        <translation>%1 在 %3 步中留下了 %2：请检查是什么持有它。损失或输出的列表请用 .item() 或 .detach()</translation>
    </message>
    <message>
        <source>checkpointing</source>
        <translation>梯度检查点</translation>
    </message>
    <message>
        <source>a loss in pieces</source>
        <translation>分块计算损失</translation>
    </message>
    <message>
        <source>zero_grad before the forward pass</source>
        <translation>在前向传播之前调用 zero_grad</translation>
    </message>
    <message>
        <source>fewer optimiser states</source>
        <translation>更少的优化器状态</translation>
    </message>
    <message>
        <source>optimiser step without foreach (parameter by parameter)</source>
        <translation>不用 foreach 的优化器步（逐个参数）</translation>
    </message>
    <message>
        <source>loss head in chunks instead of all logits at once</source>
        <translation>损失头分块计算，而不是一次算出全部 logits</translation>
    </message>
    <message>
        <source>checkpointing: layers are computed again in backward</source>
        <translation>梯度检查点：各层在反向中再次计算</translation>
    </message>
    <message>
        <source>one layer at a time (jets) instead of a graph of the gradient, still exact</source>
        <translation>每次一层（jets），而不是保留梯度的计算图，仍然精确</translation>
    </message>
    <message>
        <source>precision float64 -&gt; float32</source>
        <translation>精度 float64 → float32</translation>
    </message>
    <message>
        <source>finite differences of gradients instead of second derivatives</source>
        <translation>以梯度的有限差分代替二阶导数</translation>
    </message>
    <message>
        <source>squared gradients (Fisher) instead of the diagonal</source>
        <translation>以梯度平方（Fisher）代替对角线</translation>
    </message>
    <message>
        <source>%1 rows a pass -&gt; %2, the batch stays %3</source>
        <translation>每遍 %1 行 → %2 行，批量仍为 %3</translation>
    </message>
    <message>
        <source>autocast: products in %1, weights and states stay %2</source>
        <translation>自动混合精度：乘积用 %1，权重与状态仍为 %2</translation>
    </message>
    <message>
        <source>precision %1 -&gt; %2 (weights, gradients and states)</source>
        <translation>精度 %1 → %2（权重、梯度与状态）</translation>
    </message>
    <message>
        <source>each weight updated within backward, where its gradient goes</source>
        <translation>在反向传播中更新每个权重，其梯度随即释放</translation>
    </message>
    <message>
        <source>weights under the adapters in 4 bits (nf4)</source>
        <translation>适配器之下的权重为 4 位（nf4）</translation>
    </message>
    <message>
        <source>moments in 8 bits (%1)</source>
        <translation>8 位动量（%1）</translation>
    </message>
    <message>
        <source>adapters of rank %1 instead of all weights</source>
        <translation>以秩为 %1 的适配器代替全部权重</translation>
    </message>
    <message>
        <source>batch %1 -&gt; %2</source>
        <translation>批量 %1 → %2</translation>
    </message>
    <message>
        <source>sampled parameters %1 -&gt; %2</source>
        <translation>抽样参数 %1 → %2</translation>
    </message>
    <message>
        <source>sequence %1 -&gt; %2</source>
        <translation>序列长度 %1 → %2</translation>
    </message>
    <message>
        <source>sharding over %1 devices instead of all these, exact as well: %2</source>
        <translation>在 %1 个设备上分片以代替以上全部，同样精确：%2</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between changes</comment>
        <translation>；</translation>
    </message>
    <message>
        <source>as requested: %1</source>
        <translation>按请求：%1</translation>
    </message>
    <message>
        <source>gradient accumulation: %1 micro-batches of %2</source>
        <translation>梯度累积：%1 个微批，每个 %2 行</translation>
    </message>
    <message>
        <source>gradient accumulation: %1 micro-batches of up to %2</source>
        <translation>梯度累积：%1 个微批，每个至多 %2 行</translation>
    </message>
    <message>
        <source>the last step left %1 alive, from %2 and %3 other places, and so did the two before it. Something outside the step keeps a tensor and its graph. If losses or outputs are summed, listed or logged, use loss.item() or output.detach()</source>
        <translation>最后一步留下 %1 未释放，来自 %2 及另外 %3 处，前两步也是如此。步外的某处保留了张量及其计算图。若对损失或输出求和、存入列表或记录日志，请使用 loss.item() 或 output.detach()</translation>
    </message>
    <message>
        <source>the last step left %1 alive, from %2, and so did the two before it. Something outside the step keeps a tensor and its graph. If losses or outputs are summed, listed or logged, use loss.item() or output.detach()</source>
        <translation>最后一步留下 %1 未释放，来自 %2，前两步也是如此。步外的某处保留了张量及其计算图。若对损失或输出求和、存入列表或记录日志，请使用 loss.item() 或 output.detach()</translation>
    </message>
    <message>
        <source>%1: %2 calls of modules at %3 keep %4 for the backward pass. Gradient checkpointing keeps only their inputs (torch.utils.checkpoint, or gradient_checkpointing_enable() of Hugging Face)</source>
        <translation>%1：%3 处的 %2 次模块调用为反向传播保留 %4。梯度检查点只保留其输入（torch.utils.checkpoint，或 Hugging Face 的 gradient_checkpointing_enable()）</translation>
    </message>
    <message>
        <source>%1: %2 blocks of %3 in all at the peak are logits, their copies or their gradients. A loss in %4 pieces, or fused with the last layer, holds one piece at a time</source>
        <translation>%1：峰值时共 %3 的 %2 个块是 logits、其副本或其梯度。将损失分成 %4 段，或与最后一层融合，每次只保留一段</translation>
    </message>
    <message>
        <source>%1: %2 gradients of the step before, %3, are alive in the forward pass at the peak; zero_grad(set_to_none=True) before it frees them</source>
        <translation>%1：上一步的 %2 个梯度（%3）在峰值的前向中仍存活；在此之前调用 zero_grad(set_to_none=True) 可释放</translation>
    </message>
    <message>
        <source>%1: %2 temporaries of a foreach optimiser step, %3, are alive at the peak; foreach=False updates parameter by parameter, and fused=True has no temporaries</source>
        <translation>%1：峰值时有 foreach 优化器步的 %2 个临时张量（%3）；foreach=False 逐个参数更新，fused=True 没有临时张量</translation>
    </message>
    <message>
        <source>%1: optimiser states hold %2, %3 times the parameters. 8-bit states take a quarter of float32 (%4 less at the peak), Adafactor little, SGD without momentum none</source>
        <translation>%1：优化器状态占 %2，为参数的 %3 倍。8 位状态只需 float32 的四分之一（峰值少 %4），Adafactor 很少，不带动量的 SGD 为零</translation>
    </message>
    <message>
        <source>%1: a cache of keys and values holds %2 in %3 blocks at the peak, which training does not read</source>
        <translation>%1：峰值时键值缓存占 %2，共 %3 个块，训练并不读取</translation>
    </message>
    <message>
        <source>%1; saves at most %2 of the %3 at the peak</source>
        <comment>a remedy, bytes, bytes</comment>
        <translation>%1；峰值 %3 中最多可省 %2</translation>
    </message>
    <message>
        <source>%1 weights</source>
        <translation>%1 权重</translation>
    </message>
    <message>
        <source>bfloat16 weights, gradients and moments, with what rounding loses of updates kept (Kahan)</source>
        <translation>权重、梯度和动量为 bfloat16，并保存更新中舍入丢失的部分（Kahan）</translation>
    </message>
</context>
<context>
    <name>peakscope::RunInstantPanel</name>
    <message>
        <source>Stack</source>
        <translation>调用栈</translation>
    </message>
    <message>
        <source>Added less freed by each phase: %1 at %2</source>
        <comment>bytes, time</comment>
        <translation>各阶段的净增量：%2 时共 %1</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>代码行</translation>
    </message>
    <message>
        <source>by</source>
        <translation>按</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>组成</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Nothing is alive at this instant.</source>
        <translation>此刻没有存活的内存。</translation>
    </message>
    <message>
        <source>%1 alive at %2</source>
        <comment>bytes, time</comment>
        <translation>%2 时存活 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>what is alive when, phase</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, %2 of step %3</source>
        <comment>what is alive when, phase, number</comment>
        <translation>%1，第 %3 步的%2</translation>
    </message>
    <message>
        <source>The events carry no module or operator; the other tables have their peaks.</source>
        <translation>事件不含模块或算子；其峰值见其他表格。</translation>
    </message>
    <message>
        <source>Back to the peak</source>
        <translation>回到峰值</translation>
    </message>
    <message>
        <source>Legend, bars and tables show the peak again</source>
        <translation>图例、条形图和表格重新显示峰值</translation>
    </message>
</context>
<context>
    <name>peakscope::EndWords</name>
    <message>
        <source>phase %1</source>
        <translation>%1阶段</translation>
    </message>
    <message>
        <source>phase %1, module %2</source>
        <translation>%1阶段，模块 %2</translation>
    </message>
    <message>
        <source>phase %1, operator %2</source>
        <translation>%1阶段，算子 %2</translation>
    </message>
    <message>
        <source>phase %1, module %2, operator %3</source>
        <translation>%1阶段，模块 %2，算子 %3</translation>
    </message>
    <message>
        <source>Over budget: %1 more in %2 on top of %3 live would pass the budget of %4</source>
        <translation>超出预算：%2 再要 %1，已存活 %3，将超过预算 %4</translation>
    </message>
    <message>
        <source>Over budget: %1 more in %2 on top of %3 live and %4 reserved would pass the budget of %5</source>
        <translation>超出预算：%2 再要 %1，已存活 %3、已保留 %4，将超过预算 %5</translation>
    </message>
    <message>
        <source>Out of memory: %1 more in %2 on top of %3 live and %4 reserved, but the device has %5 free</source>
        <translation>内存不足：%2 再要 %1，已存活 %3、已保留 %4，而设备只剩 %5</translation>
    </message>
    <message>
        <source>Out of memory: %1 more in %2, but the machine has %3 free and keeps %4</source>
        <translation>内存不足：%2 再要 %1，而本机只剩 %3 且保留 %4</translation>
    </message>
    <message>
        <source>Cancelled in %1</source>
        <translation>在%1取消</translation>
    </message>
</context>
<context>
    <name>peakscope::Doctor</name>
    <message>
        <source>Doctor</source>
        <translation>诊断</translation>
    </message>
    <message>
        <source>Who holds the memory, what grows, and what would help</source>
        <translation>谁占用内存、什么在增长、什么会有帮助</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Show the remedies as a table that can be sorted and saved</source>
        <translation>以可排序、可保存的表格显示这些办法</translation>
    </message>
</context>
<context>
    <name>peakscope::DoctorWords</name>
    <message>
        <source>Replaying the requests under other allocator settings…</source>
        <translation>正在以分配器的其他设置重放请求…</translation>
    </message>
    <message>
        <source>No setting of the allocator would help, and nothing grows from step to step.</source>
        <translation>分配器的任何设置都没有帮助，各步之间也没有增长。</translation>
    </message>
    <message numerus="yes">
        <source>%1 holds %2 in %n blocks</source>
        <comment>line, bytes</comment>
        <translation><numerusform>%1 占用 %2，共 %n 个块</numerusform></translation>
    </message>
    <message>
        <source>At the peak %1</source>
        <translation>峰值时 %1</translation>
    </message>
    <message>
        <source>At the end %1</source>
        <translation>结束时 %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>component, bytes</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>No memory was measured before the end</source>
        <translation>结束之前没有测到内存</translation>
    </message>
    <message>
        <source>At most %1 were alive before the end: %2</source>
        <comment>bytes, who</comment>
        <translation>结束之前最多占用 %1：%2</translation>
    </message>
    <message>
        <source>At the peak of %1: %2</source>
        <comment>bytes, who</comment>
        <translation>峰值 %1 时：%2</translation>
    </message>
    <message>
        <source>Predicting the experiment with each change in turn…</source>
        <translation>正在逐一预测修改后的实验…</translation>
    </message>
    <message>
        <source>Nothing that Peakscope can change would make it smaller.</source>
        <translation>Peakscope 能做的修改都不会使它变小。</translation>
    </message>
</context>
<context>
    <name>peakscope::MemorySnapshotPanel</name>
    <message>
        <source>Each block</source>
        <translation>逐块</translation>
    </message>
    <message>
        <source>by</source>
        <translation>按</translation>
    </message>
    <message>
        <source>Nothing is alive at this instant.</source>
        <translation>此刻没有存活的块。</translation>
    </message>
</context>
<context>
    <name>peakscope::SnapshotReadingView</name>
    <message>
        <source>Requested bytes, as far as the file is read</source>
        <translation>已读部分中的申请字节数</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Requested, at least</source>
        <translation>申请量（至少）</translation>
    </message>
    <message>
        <source>reading: %1 %</source>
        <translation>正在读取：%1 %</translation>
    </message>
    <message>
        <source>%1, %2: the bytes that its first %3 events allocated and freed. What was there before them, blocks and who holds them are known when all of it is read.</source>
        <translation>%1，%2：前 %3 个事件分配和释放的字节数。此前已有的内存、内存块及其持有者要在全部读完后才知道。</translation>
    </message>
</context>
<context>
    <name>peakscope::RangeDialog</name>
    <message>
        <source>Open a part</source>
        <translation>打开一部分</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>The last events:</source>
        <translation>最后的事件数：</translation>
    </message>
    <message>
        <source>Events from</source>
        <translation>事件，从</translation>
    </message>
    <message>
        <source>Seconds from</source>
        <translation>秒，从</translation>
    </message>
    <message>
        <source>to before</source>
        <translation>到（不含）</translation>
    </message>
    <message>
        <source>%1 holds about %2 events in %3. All of it may take %4 of memory, and %5 are free: a part of it can be opened.</source>
        <translation>%1 约有 %2 个事件，大小 %3。全部读取可能需要 %4 内存，而空闲 %5：可以打开其中一部分。</translation>
    </message>
    <message>
        <source>Not even a small part fits: close other programs first.</source>
        <translation>连一小部分也放不下：请先关闭其他程序。</translation>
    </message>
    <message>
        <source>This part is empty.</source>
        <translation>这一部分是空的。</translation>
    </message>
    <message>
        <source>At most %1 events fit.</source>
        <translation>最多放得下 %1 个事件。</translation>
    </message>
    <message>
        <source>The same on the command line: %1</source>
        <translation>命令行写法：%1</translation>
    </message>
</context>
<context>
    <name>peakscope::SnapshotCourseView</name>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>All events of the allocator have the same width</source>
        <translation>分配器的每个事件宽度相同</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Seconds since the first event</source>
        <translation>自第一个事件起的秒数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>All steps of the optimiser have the same width</source>
        <translation>优化器的每一步宽度相同</translation>
    </message>
    <message>
        <source>No history was recorded: only the memory held when the file was written is shown.</source>
        <translation>没有记录历史：只显示写入文件时所持有的内存。</translation>
    </message>
    <message>
        <source>out of memory, %1 requested</source>
        <translation>内存不足，申请 %1</translation>
    </message>
    <message>
        <source>event %1</source>
        <translation>事件 %1</translation>
    </message>
    <message>
        <source>A band is what a class of blocks holds. The line above is what the allocator reserved. Click: who holds it then.</source>
        <translation>一条色带是一类内存块占用的字节；上方的线是分配器保留的字节。单击查看该时刻由谁占用。</translation>
    </message>
</context>
<context>
    <name>peakscope::TilesView</name>
    <message>
        <source>Treemap</source>
        <translation>矩形树图</translation>
    </message>
    <message>
        <source>Flame graph</source>
        <translation>火焰图</translation>
    </message>
    <message>
        <source>Segment map</source>
        <translation>段图</translation>
    </message>
    <message>
        <source>What the pointer shows</source>
        <translation>指针所指</translation>
    </message>
    <message>
        <source>No segment is reserved at this instant, or the file lists none.</source>
        <translation>此刻没有保留的段，或文件未列出。</translation>
    </message>
    <message>
        <source>Nothing is alive at this instant.</source>
        <translation>此刻没有存活的块。</translation>
    </message>
    <message>
        <source>free, %1</source>
        <translation>空闲，%1</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 in %n blocks, %3</source>
        <comment>line, bytes, component</comment>
        <translation><numerusform>%1：%2，共 %n 个块，%3</numerusform></translation>
    </message>
    <message>
        <source>%1: %2 requested in a block of %3, %4</source>
        <translation>%1：在 %3 的块中申请 %2，%4</translation>
    </message>
    <message>
        <source>%1, awaiting its free</source>
        <translation>%1，等待释放</translation>
    </message>
    <message>
        <source>Click a frame to see it alone, all to go back. Frames of Python only.</source>
        <translation>点击一帧单独查看，点击最上面返回。只含 Python 帧。</translation>
    </message>
    <message>
        <source>Dotted: free.</source>
        <translation>虚线：空闲。</translation>
    </message>
    <message>
        <source>Areas are requested bytes.</source>
        <translation>面积表示申请的字节数。</translation>
    </message>
    <message>
        <source>Nothing is shown.</source>
        <translation>没有显示内容。</translation>
    </message>
    <message numerus="yes">
        <source>%1 reserved in %n segments: %2 held, %3 free.</source>
        <translation><numerusform>保留 %1，共 %n 段：占用 %2，空闲 %3。</numerusform></translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>component, bytes</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 alive</source>
        <comment>bytes</comment>
        <translation>存活 %1</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>A tile is what one line of code holds at that instant, its area the bytes, its colour the component.</source>
        <translation>一块是一行代码在该时刻占用的字节，面积是字节数，颜色是组成部分。</translation>
    </message>
    <message>
        <source>A frame is a call of the program, its width the bytes that it and its callees hold at that instant.</source>
        <translation>一帧是程序的一次调用，宽度是它及其被调用者在该时刻占用的字节。</translation>
    </message>
    <message>
        <source>A row is a piece of memory that the allocator reserved. Coloured parts are blocks in use, the others are free.</source>
        <translation>一行是分配器保留的一段内存；着色部分是使用中的块，其余空闲。</translation>
    </message>
</context>
<context>
    <name>peakscope::TileText</name>
    <message>
        <source>Stream %1</source>
        <translation>流 %1</translation>
    </message>
    <message>
        <source>Stream %1, pool %2</source>
        <translation>流 %1，内存池 %2</translation>
    </message>
    <message>
        <source>%1: %2 reserved, %3 free in pieces of at most %4, fragmentation %5 %</source>
        <translation>%1：保留 %2，空闲 %3，最大的一块 %4，碎片率 %5 %</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
</context>
<context>
    <name>peakscope::ProgramDialog</name>
    <message>
        <source>What runs goes on; the library lists it</source>
        <translation>正在运行的会继续；资料库会列出它</translation>
    </message>
    <message>
        <source>Only for dry runs: tick a card</source>
        <translation>仅用于空跑：请勾选显卡</translation>
    </message>
    <message>
        <source>to its end</source>
        <translation>到结束</translation>
    </message>
    <message>
        <source>Runs the program and shows what holds its memory while it runs: what PyTorch allocates, in Run</source>
        <translation>运行程序，并在“运行”中实时显示是什么占用内存：PyTorch 分配的内容</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Unticks all cards</source>
        <translation>取消勾选所有显卡</translation>
    </message>
    <message>
        <source>Once the dry run is over, or stopped</source>
        <translation>待空跑结束或停止之后</translation>
    </message>
    <message>
        <source>The program receives %1 literally; for values in its place, tick a card and “Find the largest that fits”.</source>
        <translation>程序将原样得到 %1；若要代入数值，请勾选显卡和“寻找放得下的最大值”。</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between cards</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>1 card: %1</source>
        <translation>1 块显卡：%1</translation>
    </message>
    <message>
        <source>%1 cards: %2</source>
        <translation>%1 块显卡：%2</translation>
    </message>
    <message>
        <source>Record here</source>
        <translation>在此记录</translation>
    </message>
    <message>
        <source>Record here, dry run on 1 card</source>
        <translation>在此记录，并在 1 块显卡上空跑</translation>
    </message>
    <message>
        <source>Dry run on 1 card</source>
        <translation>在 1 块显卡上空跑</translation>
    </message>
    <message>
        <source>Record here, dry run on %1 cards</source>
        <translation>在此记录，并在 %1 块显卡上空跑</translation>
    </message>
    <message>
        <source>Dry run on %1 cards</source>
        <translation>在 %1 块显卡上空跑</translation>
    </message>
    <message>
        <source>Runs on this machine, live in Run, optimiser steps: %1; the result goes to %2.</source>
        <translation>在本机上运行，在“运行”中实时显示，优化器步数：%1；结果存到 %2。</translation>
    </message>
    <message>
        <source>The chosen row has no result</source>
        <translation>所选行没有结果</translation>
    </message>
    <message>
        <source>Your program</source>
        <translation>你的程序</translation>
    </message>
    <message>
        <source>Dry, on cards that aren't here</source>
        <translation>空跑：在本机没有的显卡上</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>在本机上</translation>
    </message>
    <message>
        <source>Where does it run? Tick this machine, a card, or several.</source>
        <translation>在哪里运行？请勾选本机、一块或多块显卡。</translation>
    </message>
    <message>
        <source>Runs to its end on this machine, live in Run; the result goes to %1.</source>
        <translation>在本机上运行到结束，在“运行”中实时显示；结果存到 %1。</translation>
    </message>
    <message>
        <source>Cards</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>A program dry. Dry run: no numbers were computed</source>
        <translation>空跑程序。空跑：未计算任何数值</translation>
    </message>
    <message>
        <source>Dry run: no numbers were computed</source>
        <translation>空跑：未计算任何数值</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Vary</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Optimiser steps</source>
        <translation>优化器步数</translation>
    </message>
    <message>
        <source>as in a terminal: python train.py --batch 8</source>
        <translation>与终端中相同：python train.py --batch 8</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Find the largest that fits</source>
        <translation>寻找放得下的最大值</translation>
    </message>
    <message>
        <source>Runs the program once per value, each time from its start; {NAME} in the command is replaced by the value</source>
        <translation>对每个值从头运行一次程序；命令中的 {NAME} 会替换为该值</translation>
    </message>
    <message>
        <source>1..64 is a range, 8,16,24 a list</source>
        <translation>1..64 是范围，8,16,24 是列表</translation>
    </message>
    <message>
        <source>The program is ended after this number of steps</source>
        <translation>达到此步数后结束程序</translation>
    </message>
    <message>
        <source>Allow saves</source>
        <translation>允许保存</translation>
    </message>
    <message>
        <source>The program's files are saved to their own paths, not to a scratch folder</source>
        <translation>程序保存的内容写入其原位置，而不是临时文件夹</translation>
    </message>
    <message>
        <source>Search cards</source>
        <translation>搜索显卡</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copies the command with the largest value that fits</source>
        <translation>复制带有放得下的最大值的命令</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open all</source>
        <translation>全部打开</translation>
    </message>
    <message>
        <source>Side by side in Compare</source>
        <translation>在“比较”中并排显示</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Where the program runs</source>
        <translation>程序运行的文件夹</translation>
    </message>
    <message>
        <source>The command: %1</source>
        <translation>命令：%1</translation>
    </message>
    <message>
        <source>Which program? Its command as in a terminal, such as: python train.py --batch 8</source>
        <translation>哪个程序？请输入与终端中相同的命令，例如：python train.py --batch 8</translation>
    </message>
    <message>
        <source>There is no folder “%1”; choose the one that the program runs in.</source>
        <translation>没有文件夹“%1”；请选择程序运行所在的文件夹。</translation>
    </message>
    <message>
        <source>“%1” is no program here; the command begins with one, such as python or its whole path.</source>
        <translation>“%1” 不是这里的程序；命令以程序开头，例如 python 或其完整路径。</translation>
    </message>
    <message>
        <source>No card is chosen: tick one or several.</source>
        <translation>未选择显卡：请勾选一张或多张。</translation>
    </message>
    <message>
        <source>What varies has a name, such as batch, and values, such as 1..64.</source>
        <translation>变化的量需要名称（例如 batch）和取值（例如 1..64）。</translation>
    </message>
    <message>
        <source>Put %1 into the command where the value belongs, such as: --batch %1</source>
        <translation>请把 %1 放到命令中该值所在的位置，例如：--batch %1</translation>
    </message>
    <message>
        <source>Programs: %1, two at a time, each by %2; results go to %3.</source>
        <translation>程序：%1 个，每次两个，均由 %2 运行；结果存入 %3。</translation>
    </message>
    <message>
        <source>Programs: one after another for each value, two at a time, each by %1; the result goes to %2.</source>
        <translation>程序：每个取值依次运行，每次两个，均由 %1 运行；结果存入 %2。</translation>
    </message>
    <message>
        <source>The largest that fits %1: %2</source>
        <translation>%1 放得下的最大值：%2</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>%1: at least %2, the end of the range</source>
        <translation>%1：至少 %2，已到搜索范围的上限</translation>
    </message>
    <message>
        <source>Search on: %1</source>
        <translation>继续搜索：%1</translation>
    </message>
    <message>
        <source>Long run: every step's peak, the last 3 in full</source>
        <translation>长时间运行：每步峰值，最后 3 步完整记录</translation>
    </message>
    <message>
        <source>Only for recordings on this machine</source>
        <translation>仅用于本机上的记录</translation>
    </message>
    <message>
        <source>Hours can be recorded: each step is a point, and the last three steps have all events</source>
        <translation>可记录数小时：每步一个点，最后三步保留全部事件</translation>
    </message>
</context>
<context>
    <name>peakscope::ProgramTable</name>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>running: %1</source>
        <translation>运行中：%1</translation>
    </message>
    <message>
        <source>running: step %1 of %2</source>
        <translation>运行中：第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>running: rank %1, step %2 of %3</source>
        <translation>运行中：rank %1，第 %2 步，共 %3 步</translation>
    </message>
    <message>
        <source>so far %1 of %2</source>
        <translation>目前 %1，共 %2</translation>
    </message>
    <message>
        <source>Course</source>
        <translation>走势</translation>
    </message>
    <message>
        <source>Allocated memory (filled) and reserved memory (line) while the program ran</source>
        <translation>程序运行期间已分配（填充）和已保留（线）的内存</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>largest that fits: %1</source>
        <translation>放得下的最大值：%1</translation>
    </message>
    <message>
        <source>ran out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>not even the first value fits</source>
        <translation>第一个值就放不下</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>失败：%1</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>%1: the card has %2</source>
        <translation>%1：该卡有 %2</translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <translation>%1：%3 中的 %2</translation>
    </message>
    <message>
        <source>Card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>Outside</source>
        <translation>分配器之外</translation>
    </message>
    <message>
        <source>CUDA's context and the libraries' code, outside the allocator</source>
        <translation>CUDA 上下文和库代码，在分配器之外</translation>
    </message>
    <message>
        <source>Of the card</source>
        <translation>占该卡</translation>
    </message>
    <message>
        <source>Dry runs</source>
        <translation>空跑</translation>
    </message>
    <message>
        <source>done, ranks alike</source>
        <translation>完成，各 rank 相同</translation>
    </message>
    <message>
        <source>done, fullest: rank %1</source>
        <translation>完成，占用最多：rank %1</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>NCCL margin</source>
        <translation>NCCL 余量</translation>
    </message>
    <message>
        <source>Memory that NCCL may take beside the allocator, as reported by users of other cards; not part of any other number here</source>
        <translation>NCCL 在分配器之外可能占用的显存，依据其他卡的用户报告；未计入此处其他数值</translation>
    </message>
    <message>
        <source>None of these numbers of GPUs fits %1</source>
        <translation>这些 GPU 数在 %1 上都放不下</translation>
    </message>
    <message>
        <source>The first that fits %1: %2 GPUs</source>
        <translation>%1 上最先放得下的：%2 个 GPU</translation>
    </message>
    <message>
        <source>%1; with NCCL's margin none</source>
        <comment>the first that fits</comment>
        <translation>%1；计入 NCCL 余量则都放不下</translation>
    </message>
    <message>
        <source>%1; with NCCL's margin %2</source>
        <comment>the first that fits</comment>
        <translation>%1；计入 NCCL 余量则为 %2</translation>
    </message>
    <message>
        <source>at least %1 (end of the range)</source>
        <translation>至少 %1（已到范围上限）</translation>
    </message>
</context>
<context>
    <name>peakscope::RankFields</name>
    <message>
        <source>Only for dry runs: tick a card</source>
        <translation>仅用于空跑：请勾选显卡</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>GPUs a machine</source>
        <translation>每台机器的 GPU 数</translation>
    </message>
    <message>
        <source>Numbers of GPUs</source>
        <translation>多种 GPU 数</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>The program runs as one rank of this number, without the others, as torchrun, accelerate launch or python would start it</source>
        <translation>程序作为这么多 rank 之一运行，不启动其他 rank：即 torchrun、accelerate launch 或 python 会启动的进程</translation>
    </message>
    <message>
        <source>Which ranks are run, one after another: 0,7</source>
        <translation>依次运行哪些 rank：0,7</translation>
    </message>
    <message>
        <source>Run at each</source>
        <translation>逐一运行</translation>
    </message>
    <message>
        <source>Runs the first rank at each of these numbers of GPUs, and reports the first that fits</source>
        <translation>按这些 GPU 数逐个运行第一个 rank，并给出最先放得下的数目</translation>
    </message>
    <message>
        <source>Ranks are numbers from 0 to %1, such as: 0,%1</source>
        <translation>rank 是 0 到 %1 的数，例如：0,%1</translation>
    </message>
    <message>
        <source>Numbers of GPUs are up to %1 numbers from 1 on, such as: 8, 16, 64</source>
        <translation>GPU 数最多填 %1 个，均从 1 起，例如：8, 16, 64</translation>
    </message>
</context>
<context>
    <name>peakscope::DeviceChoice</name>
    <message>
        <source>dry run on %1</source>
        <translation>在 %1 上空跑</translation>
    </message>
    <message>
        <source>dry run on %1 of %2</source>
        <comment>card, its bytes</comment>
        <translation>在 %1（%2）上空跑</translation>
    </message>
</context>
<context>
    <name>peakscope::ReasonWords</name>
    <message>
        <source>is missing (one of %1)</source>
        <translation>缺失（%1 之一）</translation>
    </message>
    <message>
        <source>is missing (an object with an id, a dir or a family)</source>
        <translation>缺失（需要含 id、dir 或 family 的对象）</translation>
    </message>
    <message>
        <source>is missing (the text file or folder to read)</source>
        <translation>缺失（要读取的文本文件或文件夹）</translation>
    </message>
    <message>
        <source>is missing (the token file to read)</source>
        <translation>缺失（要读取的词元文件）</translation>
    </message>
    <message>
        <source>is missing (select is names)</source>
        <translation>缺失（select 为 names）</translation>
    </message>
    <message>
        <source>is missing (select is entries)</source>
        <translation>缺失（select 为 entries）</translation>
    </message>
    <message>
        <source>is missing (the band's name)</source>
        <translation>缺失（色带的名称）</translation>
    </message>
    <message>
        <source>is missing (a pattern of module names, or give operator)</source>
        <translation>缺失（模块名的模式，或改给 operator）</translation>
    </message>
    <message>
        <source>is missing (a parameter's name)</source>
        <translation>缺失（参数的名称）</translation>
    </message>
    <message>
        <source>is not a known key; did you mean %1?</source>
        <translation>不是已知的键；是否指 %1？</translation>
    </message>
    <message>
        <source>is not a known key (known: %1)</source>
        <translation>不是已知的键（已知：%1）</translation>
    </message>
    <message>
        <source>further unknown keys: %1</source>
        <translation>还有未知的键：%1 个</translation>
    </message>
    <message>
        <source>a list of texts is needed, %1 was given</source>
        <translation>需要文本的列表，给出的是 %1</translation>
    </message>
    <message>
        <source>a list of numbers is needed, %1 was given</source>
        <translation>需要数值的列表，给出的是 %1</translation>
    </message>
    <message>
        <source>a list is needed, %1 was given</source>
        <translation>需要列表，给出的是 %1</translation>
    </message>
    <message>
        <source>an object is needed, %1 was given</source>
        <translation>需要对象，给出的是 %1</translation>
    </message>
    <message>
        <source>%1 is not an integer of 0 or more</source>
        <translation>%1 不是 0 或更大的整数</translation>
    </message>
    <message>
        <source>%1 is not an integer</source>
        <translation>%1 不是整数</translation>
    </message>
    <message>
        <source>%1 is not a number of original positions</source>
        <translation>%1 不能作为原有位置数</translation>
    </message>
    <message>
        <source>%1 is not a number of %2 or more</source>
        <translation>%1 不是 %2 或更大的数</translation>
    </message>
    <message>
        <source>%1 is not a number from %2 to %3</source>
        <translation>%1 不是 %2 到 %3 的数</translation>
    </message>
    <message>
        <source>%1 is not a number above %2</source>
        <translation>%1 不是大于 %2 的数</translation>
    </message>
    <message>
        <source>%1 is not a number</source>
        <translation>%1 不是数</translation>
    </message>
    <message>
        <source>%1 is neither true nor false</source>
        <translation>%1 既不是 true 也不是 false</translation>
    </message>
    <message>
        <source>%1 is not a text in quotes</source>
        <translation>%1 不是带引号的文本</translation>
    </message>
    <message>
        <source>%1 is not one of auto, cpu, cuda:0 (or another number) and dry:CARD (a card of the catalogue)</source>
        <translation>%1 不是 auto、cpu、cuda:0（或其他编号）或 dry:CARD（目录中的显卡）之一</translation>
    </message>
    <message>
        <source>%1 is not one of %2</source>
        <translation>%1 不是 %2 之一</translation>
    </message>
    <message>
        <source>%1 is not above %2 and at most %3</source>
        <translation>%1 不在大于 %2、至多 %3 的范围内</translation>
    </message>
    <message>
        <source>%1 is not between %2 and %3</source>
        <translation>%1 不在 %2 与 %3 之间</translation>
    </message>
    <message>
        <source>%1 is not above low_freq_factor %2, itself above 0</source>
        <translation>%1 不大于 low_freq_factor %2（其本身应大于 0）</translation>
    </message>
    <message>
        <source>%1 is not above %2</source>
        <translation>%1 不大于 %2</translation>
    </message>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 不存在</translation>
    </message>
    <message>
        <source>%1 is not a size; write for example 80GiB, 512MiB or 1.5e9</source>
        <translation>%1 不是大小；例如写 80GiB、512MiB 或 1.5e9</translation>
    </message>
    <message>
        <source>%1 is negative; a size is 0 or more bytes</source>
        <translation>%1 是负数；大小为 0 或更多字节</translation>
    </message>
    <message>
        <source>%1 is more than a size can be</source>
        <translation>%1 超出了大小的上限</translation>
    </message>
    <message>
        <source>%1 is not in the device catalogue (near: %2)</source>
        <translation>%1 不在设备目录中（相近：%2）</translation>
    </message>
    <message>
        <source>%1 is not in the device catalogue (known: %2)</source>
        <translation>%1 不在设备目录中（已知：%2）</translation>
    </message>
    <message>
        <source>%1 is not a dry device, such as %2 or %3</source>
        <translation>%1 不是空跑设备，例如 %2 或 %3</translation>
    </message>
    <message>
        <source>%1 cannot be simulated: its entry in the catalogue has no "cuda"</source>
        <translation>%1 无法模拟：目录中它的条目没有 "cuda"</translation>
    </message>
    <message>
        <source>%1 is below the %2 that a context takes</source>
        <translation>%1 低于上下文所占的 %2</translation>
    </message>
    <message>
        <source>%1 is not in the model catalogue (near: %2); %3 is not in %4; `%5` would download it</source>
        <translation>%1 不在模型目录中（相近：%2）；%3 不在 %4 中；`%5` 可以下载它</translation>
    </message>
    <message>
        <source>%1 is not in the model catalogue (known: %2); %3 is not in %4; `%5` would download it</source>
        <translation>%1 不在模型目录中（已知：%2）；%3 不在 %4 中；`%5` 可以下载它</translation>
    </message>
    <message>
        <source>%1 is not in the model catalogue (near: %2)</source>
        <translation>%1 不在模型目录中（相近：%2）</translation>
    </message>
    <message>
        <source>%1 is not in the model catalogue (known: %2)</source>
        <translation>%1 不在模型目录中（已知：%2）</translation>
    </message>
    <message>
        <source>%1 is not in %2; `%3` would download it</source>
        <translation>%1 不在 %2 中；`%3` 可以下载它</translation>
    </message>
    <message>
        <source>%1 names quantised weights (%2), which are not trained; give the model that they were made of</source>
        <translation>%1 指的是量化权重（%2），不能训练；请给出其原来的模型</translation>
    </message>
    <message>
        <source>there are no pretrained weights of %1; use random</source>
        <translation>%1 没有预训练权重；请用 random</translation>
    </message>
    <message>
        <source>pretrained needs a model with an id or a dir</source>
        <translation>pretrained 需要有 id 或 dir 的模型</translation>
    </message>
    <message>
        <source>both id and dir are given; give one of them</source>
        <translation>同时给出了 id 和 dir；请只给其中之一</translation>
    </message>
    <message>
        <source>needs an id, a dir or a family (%1)</source>
        <translation>需要 id、dir 或 family（%1）</translation>
    </message>
    <message>
        <source>no such folder: %1</source>
        <translation>没有此文件夹：%1</translation>
    </message>
    <message>
        <source>%1 differs from %2, the family of this model</source>
        <translation>%1 与此模型的系列 %2 不同</translation>
    </message>
    <message>
        <source>%1 differs from the checkpoint's %2; leave it out, or use random weights</source>
        <translation>%1 与检查点的 %2 不同；请去掉，或使用随机权重</translation>
    </message>
    <message>
        <source>%1 does not divide %2 %3; %4 would</source>
        <translation>%1 不能整除 %2 %3；%4 可以</translation>
    </message>
    <message>
        <source>%1 does not divide %2 %3</source>
        <translation>%1 不能整除 %2 %3</translation>
    </message>
    <message>
        <source>%1 is not %2 / %3 = %4</source>
        <translation>%1 不等于 %2 / %3 = %4</translation>
    </message>
    <message>
        <source>%1 heads of %2 are wider than %3 together</source>
        <translation>%1 个宽 %2 的头合计超过 %3</translation>
    </message>
    <message>
        <source>%1 differs from %2 %3, and family %4 has no grouped heads</source>
        <translation>%1 与 %2 %3 不同，而系列 %4 没有分组的头</translation>
    </message>
    <message>
        <source>%1 differs from %2 %3, which only family opt can have</source>
        <translation>%1 与 %2 %3 不同，只有系列 opt 可以如此</translation>
    </message>
    <message>
        <source>%1 of a head of width %2 is %3 to rotate, an even width of 2 or more is needed</source>
        <translation>宽 %2 的头的 %1 份，需旋转 %3；应为 2 或更大的偶数宽度</translation>
    </message>
    <message>
        <source>dynamic scaling needs more than %1 rotated dimensions</source>
        <translation>dynamic 缩放需要多于 %1 个旋转维度</translation>
    </message>
    <message>
        <source>beta_fast %1 and beta_slow %2 must be positive and in this order</source>
        <translation>beta_fast %1 和 beta_slow %2 必须为正，且前者不小于后者</translation>
    </message>
    <message>
        <source>model_type is missing (one of %1)</source>
        <translation>缺少 model_type（%1 之一）</translation>
    </message>
    <message>
        <source>%1 is not supported for model type %2</source>
        <translation>模型类型 %2 不支持 %1</translation>
    </message>
    <message>
        <source>%1 is not supported (%2 is)</source>
        <translation>不支持 %1（支持 %2）</translation>
    </message>
    <message>
        <source>%1 is not supported for layers with windows (default is)</source>
        <translation>带窗口的层不支持 %1（支持 default）</translation>
    </message>
    <message>
        <source>scaled rotary positions other than longrope are not supported for model type %1</source>
        <translation>模型类型 %1 不支持 longrope 以外的缩放旋转位置</translation>
    </message>
    <message>
        <source>needs sliding_window above 0</source>
        <translation>需要大于 0 的 sliding_window</translation>
    </message>
    <message>
        <source>sliding_attention needs sliding_window</source>
        <translation>sliding_attention 需要 sliding_window</translation>
    </message>
    <message>
        <source>%1 is no window, which family %2 needs</source>
        <translation>%1 表示不设窗口，而家族 %2 必须设窗口</translation>
    </message>
    <message>
        <source>needs an integer for each of %1 layers</source>
        <translation>需要为 %1 层各给一个整数</translation>
    </message>
    <message>
        <source>%1 is not supported (%2 are)</source>
        <translation>不支持 %1（支持 %2）</translation>
    </message>
    <message>
        <source>cannot be read: No such file or directory</source>
        <translation>无法读取：没有此文件或文件夹</translation>
    </message>
    <message>
        <source>cannot be read: Permission denied</source>
        <translation>无法读取：没有权限</translation>
    </message>
    <message>
        <source>the model has %1 positions (model.max_positions), %2 are requested; at most %3</source>
        <translation>模型有 %1 个位置（model.max_positions），请求的是 %2；至多 %3</translation>
    </message>
    <message>
        <source>%1 is above data.batch %2</source>
        <translation>%1 大于 data.batch %2</translation>
    </message>
    <message>
        <source>%1 is below the 256 that byte tokens of %2 data need; 256 or more would do</source>
        <translation>%1 低于 %2 数据的字节词元所需的 256；256 或更大即可</translation>
    </message>
    <message>
        <source>%1 of the checkpoint is below the 256 that byte tokens of %2 data need; give data.source tokens with data.path, or a data.tokenizer folder</source>
        <translation>检查点的 %1 低于 %2 数据的字节词元所需的 256；请给出 data.source tokens 和 data.path，或 data.tokenizer 文件夹</translation>
    </message>
    <message>
        <source>empty, give auto, bytes or a folder</source>
        <translation>为空；请给出 auto、bytes 或文件夹</translation>
    </message>
    <message>
        <source>row %1, place %2: token id %3 is not below the model's vocabulary of %4; these tokens need one of %5</source>
        <translation>第 %1 行第 %2 位：词元编号 %3 不小于模型的词表 %4；这些词元需要词表 %5</translation>
    </message>
    <message>
        <source>row %1, place %2: token id %3 is not below the model's vocabulary of %4</source>
        <translation>第 %1 行第 %2 位：词元编号 %3 不在模型的词表 %4 之内</translation>
    </message>
    <message>
        <source>row %1, place %2: %3 is not a token id (an integer from 0 on)</source>
        <translation>第 %1 行第 %2 位：%3 不是词元编号（从 0 起的整数）</translation>
    </message>
    <message>
        <source>token %1 of the text (%2) has the id %3, not below the model's vocabulary of %4; these tokens need one of %5</source>
        <translation>文本的第 %1 个词元（%2）编号为 %3，不小于模型的词表 %4；这些词元需要词表 %5</translation>
    </message>
    <message>
        <source>row %1 has 1 token; at least 2 are needed, one to predict the other</source>
        <translation>第 %1 行只有 1 个词元；至少需要 2 个，由前一个预测后一个</translation>
    </message>
    <message>
        <source>1 leaves nothing to predict: the first token of a row of tokens is not predicted</source>
        <translation>1 没有可预测的内容：每行的第一个词元不被预测</translation>
    </message>
    <message>
        <source>%1 rows of %2 tokens are more than the %3 tokens a batch may have</source>
        <translation>%1 行、每行 %2 个词元超过一批可有的 %3 个词元</translation>
    </message>
    <message>
        <source>no such file or folder; a text is needed</source>
        <translation>没有此文件或文件夹；需要文本</translation>
    </message>
    <message>
        <source>cannot be read; a text file is needed</source>
        <translation>无法读取；需要文本文件</translation>
    </message>
    <message>
        <source>a binary file; a text file is needed</source>
        <translation>是二进制文件；需要文本文件</translation>
    </message>
    <message>
        <source>an empty file; a text is needed</source>
        <translation>是空文件；需要文本</translation>
    </message>
    <message>
        <source>%1 needs clipped gradients (training.clipping is none; auto clips)</source>
        <translation>%1 需要裁剪的梯度（training.clipping 为 none；auto 会裁剪）</translation>
    </message>
    <message>
        <source>true draws rows for clipped steps (training.clipping is none; auto clips)</source>
        <translation>true 为裁剪的步抽取行（training.clipping 为 none；auto 会裁剪）</translation>
    </message>
    <message>
        <source>%1 is what clipped gradients are divided by (training.clipping is none; auto clips)</source>
        <translation>%1 是裁剪的梯度所除的数（training.clipping 为 none；auto 会裁剪）</translation>
    </message>
    <message>
        <source>tf32 rounds float32 products, dtype is %1</source>
        <translation>tf32 对 float32 的乘积取舍，而 dtype 为 %1</translation>
    </message>
    <message>
        <source>tf32 is for norms of clipped rows (training.clipping is none)</source>
        <translation>tf32 用于裁剪的行的范数（training.clipping 为 none）</translation>
    </message>
    <message>
        <source>%1 is for clipped rows (training.clipping is none)</source>
        <translation>%1 用于裁剪的行（training.clipping 为 none）</translation>
    </message>
    <message>
        <source>%1 times max_grad_norm %2 is beyond any number</source>
        <translation>%1 乘以 max_grad_norm %2 超出了数的范围</translation>
    </message>
    <message>
        <source>an empty list leaves nothing to compute</source>
        <translation>空列表没有可计算的内容</translation>
    </message>
    <message>
        <source>an empty list leaves nothing to train</source>
        <translation>空列表没有可训练的内容</translation>
    </message>
    <message>
        <source>0 leaves nothing to train, give a number above 0</source>
        <translation>0 没有可训练的内容；请给出大于 0 的数</translation>
    </message>
    <message>
        <source>%1 is not a projection of this model, which has %2</source>
        <translation>%1 不是此模型的投影层，它有 %2</translation>
    </message>
    <message>
        <source>%1 is above %2, the smaller side of %3 (%4 x %5)</source>
        <translation>%1 大于 %3（%4 x %5）较小的一边 %2</translation>
    </message>
    <message>
        <source>false is for kind memory, whose training steps are timed</source>
        <translation>false 用于类型 memory，计时的是其训练步</translation>
    </message>
    <message>
        <source>%1 is above %2</source>
        <translation>%1 大于 %2</translation>
    </message>
    <message>
        <source>%1 is below %2</source>
        <translation>%1 小于 %2</translation>
    </message>
    <message>
        <source>an empty list</source>
        <translation>空列表</translation>
    </message>
    <message>
        <source>a list of other things</source>
        <translation>其他内容的列表</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between words of a list</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>%1 takes whole tensors, training.sharding %2 leaves each rank a part of them; give adamw, or none</source>
        <translation>%1 需要整个张量，而 training.sharding 为 %2 时每个 rank 只有其中一部分；请用 adamw，或设为 none</translation>
    </message>
    <message>
        <source>%1 updates a weight in pieces, %2 takes whole tensors; give nearest</source>
        <translation>%1 分块更新权重，而 %2 需要整个张量；请用 nearest</translation>
    </message>
    <message>
        <source>true updates a weight in pieces, %1 takes whole tensors; give false</source>
        <translation>true 会分块更新权重，而 %1 需要整个张量；请设为 false</translation>
    </message>
    <message>
        <source>foreach has no form for %1, which updates one matrix after another; give auto or loop</source>
        <translation>foreach 不适用于 %1，它逐个更新矩阵；请用 auto 或 loop</translation>
    </message>
    <message>
        <source>curvature has no form for family %1; give memory</source>
        <translation>模型族 %1 不支持 curvature；请用 memory</translation>
    </message>
    <message>
        <source>%1 has no form for family %2; give microbatch, or none</source>
        <translation>模型族 %2 不支持 %1；请用 microbatch，或设为 none</translation>
    </message>
    <message>
        <source>%1 adds a loss of the whole batch, which kind %2 does not take; give 0</source>
        <translation>%1 会加入整个批次的损失，而 %2 类实验不支持它；请设为 0</translation>
    </message>
    <message>
        <source>%1 adds a loss of the whole batch, which training.clipping %2 cannot divide among rows; give 0</source>
        <translation>%1 会加入整个批次的损失，training.clipping 为 %2 时无法把它分到各行；请设为 0</translation>
    </message>
    <message>
        <source>%1 numbers; %2 above 0 are needed, one for each pair of rotated dimensions</source>
        <translation>有 %1 个数；需要 %2 个大于 0 的数，每对旋转维度一个</translation>
    </message>
    <message>
        <source>%1 is not a number of original positions above 1</source>
        <translation>%1 不是大于 1 的原始位置数</translation>
    </message>
    <message>
        <source>is for training.sharding fsdp, which is %1</source>
        <translation>仅用于 training.sharding 为 fsdp 时，而现在是 %1</translation>
    </message>
    <message>
        <source>is for data.source text or tokens, which is builtin; give data.source text, or tokens for a JSON file of token ids</source>
        <translation>仅用于 data.source 为 text 或 tokens 时，而现在是 builtin；请把 data.source 设为 text，若是词元 id 的 JSON 文件则设为 tokens</translation>
    </message>
    <message>
        <source>is for select names, which is %1</source>
        <translation>仅用于 select 为 names 时，而现在是 %1</translation>
    </message>
    <message>
        <source>is for select entries, which is %1</source>
        <translation>仅用于 select 为 entries 时，而现在是 %1</translation>
    </message>
    <message>
        <source>fsdp divides parameters among ranks, and ranks is 1; give ranks 2 or more, or none</source>
        <translation>fsdp 在各 rank 间切分参数，而 ranks 为 1；请把 ranks 设为 2 或更多，或用 none</translation>
    </message>
    <message>
        <source>%1 casts what fsdp gathers in %2 already; give none, or training.fsdp.param_dtype %3</source>
        <translation>%1 会转换 fsdp 已按 %2 收集的参数；请用 none，或把 training.fsdp.param_dtype 设为 %3</translation>
    </message>
    <message>
        <source>%1 does not go with dtype %2; give auto</source>
        <translation>%1 与 dtype 的 %2 不相容；请用 auto</translation>
    </message>
    <message>
        <source>float32 is not what fsdp keeps and gathers all parameters in (%1, %2); give weights</source>
        <translation>fsdp 以 %1 保存、以 %2 收集所有参数，而不都是 float32；请用 weights</translation>
    </message>
    <message>
        <source>fsdp has no form for curvature; give zero3</source>
        <translation>fsdp 不适用于曲率；请用 zero3</translation>
    </message>
    <message>
        <source>%1 is for a mixture of experts, family %2 has none; give even</source>
        <translation>%1 用于混合专家模型，而 %2 系列没有专家；请设为 even</translation>
    </message>
</context>
<context>
    <name>peakscope::ProgramRuns</name>
    <message>
        <source>the search ended with another card's</source>
        <translation>搜索随另一张卡的失败而结束</translation>
    </message>
</context>
<context>
    <name>peakscope::CompareSubject</name>
    <message>
        <source>Answers to noise</source>
        <translation>对噪声的响应</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>比较的内容</translation>
    </message>
</context>
<context>
    <name>peakscope::UnreadFiles</name>
    <message>
        <source>Open another…</source>
        <translation>打开其他文件…</translation>
    </message>
    <message numerus="yes">
        <source>And %n more that can't be read.</source>
        <translation><numerusform>另有 %n 个文件无法读取。</numerusform></translation>
    </message>
    <message>
        <source>Dry-run this program…</source>
        <translation>空跑此程序…</translation>
    </message>
</context>
<context>
    <name>peakscope::RemedyCards</name>
    <message>
        <source>What would help</source>
        <translation>可行的办法</translation>
    </message>
    <message>
        <source>saves %1</source>
        <translation>节省 %1</translation>
    </message>
    <message>
        <source>predicted peak %1</source>
        <translation>预测峰值 %1</translation>
    </message>
    <message>
        <source>%1 reserved then</source>
        <translation>届时保留 %1</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>New run like this</source>
        <translation>以此新建运行</translation>
    </message>
    <message>
        <source>Fills the form with the experiment and this change</source>
        <translation>用该实验和此项更改填写表单</translation>
    </message>
</context>
<context>
    <name>peakscope::HelpDrawer</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
</context>
<context>
    <name>peakscope::PaletteSources</name>
    <message>
        <source>Panel › %1</source>
        <translation>面板 › %1</translation>
    </message>
    <message>
        <source>Result › %1</source>
        <translation>结果 › %1</translation>
    </message>
    <message>
        <source>Setting of a run › %1</source>
        <translation>运行设置 › %1</translation>
    </message>
    <message>
        <source>Help › %1</source>
        <translation>帮助 › %1</translation>
    </message>
</context>
<context>
    <name>peakscope::StepsView</name>
    <message>
        <source>Peaks by step</source>
        <translation>逐步峰值</translation>
    </message>
    <message>
        <source>A point is a step: its peak, and what stayed alive at its end. A rising line is growth.</source>
        <translation>每个点是一步：其峰值以及步末仍存活的内存。上升的线表示增长。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>A recording of all steps (--ring) has a peak for each of them.</source>
        <translation>对所有步的记录（--ring）包含每一步的峰值。</translation>
    </message>
    <message>
        <source>Step %1: peak %2, %3 alive at its end, %4</source>
        <translation>第 %1 步：峰值 %2，步末存活 %3，%4</translation>
    </message>
    <message>
        <source>%1, batch %2</source>
        <translation>%1，批次 %2</translation>
    </message>
    <message>
        <source>Highest: %1</source>
        <translation>最高：%1</translation>
    </message>
    <message>
        <source>Peak of the step</source>
        <translation>该步峰值</translation>
    </message>
    <message>
        <source>Alive at its end</source>
        <translation>步末存活</translation>
    </message>
    <message>
        <source>No steps.</source>
        <translation>没有步。</translation>
    </message>
    <message numerus="yes">
        <source>%n steps. %1</source>
        <translation><numerusform>%n 步。%1</numerusform></translation>
    </message>
</context>
<context>
    <name>peakscope::SideDocks</name>
    <message>
        <source>Library</source>
        <translation>结果库</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Edge of the inspector</source>
        <translation>检查器边栏</translation>
    </message>
    <message>
        <source>Open the library</source>
        <translation>打开结果库</translation>
    </message>
    <message>
        <source>States of the library's results</source>
        <translation>结果库中各结果的状态</translation>
    </message>
    <message>
        <source>&amp;Fold side panels in a narrow window</source>
        <translation>窗口较窄时收起侧栏(&amp;F)</translation>
    </message>
</context>
<context>
    <name>peakscope::SearchField</name>
    <message>
        <source>Search these tables</source>
        <translation>搜索这些表格</translation>
    </message>
    <message>
        <source>Search the tables of what is shown</source>
        <translation>搜索所示内容的表格</translation>
    </message>
    <message>
        <source>Names in the tables of what is shown (Ctrl+F). The library has a filter of its own.</source>
        <translation>所示内容的表格中的名称（Ctrl+F）。结果库有自己的筛选。</translation>
    </message>
</context>
<context>
    <name>peakscope::ExpertLoadView</name>
    <message>
        <source>Expert loads</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>A cell is an expert of a layer, coloured by the tokens that went there. 1 × is an even share.</source>
        <translation>每格是一层中的一个专家，颜色表示去往那里的词元。1 × 是平均份额。</translation>
    </message>
    <message>
        <source>Shows how many tokens each expert of a mixture had.</source>
        <translation>显示混合专家模型中每个专家得到多少词元。</translation>
    </message>
</context>
<context>
    <name>peakscope::ExpertLoadChart</name>
    <message>
        <source>Expert</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>1 × (even)</source>
        <translation>1 ×（平均）</translation>
    </message>
    <message>
        <source>%1 ×</source>
        <translation>%1 ×</translation>
    </message>
    <message>
        <source>cells: × an even share of the layer's tokens</source>
        <translation>各格：× 该层词元的平均份额</translation>
    </message>
    <message>
        <source>experts without a token: %1</source>
        <translation>没有词元的专家：%1</translation>
    </message>
    <message>
        <source>no expert had a token</source>
        <translation>没有专家得到词元</translation>
    </message>
    <message>
        <source>the fullest expert has %1 × an even share</source>
        <translation>最满的专家有 %1 × 平均份额</translation>
    </message>
    <message>
        <source>Layer %1 has %2 experts.</source>
        <translation>第 %1 层有 %2 个专家。</translation>
    </message>
    <message>
        <source>Layer %1 had no tokens.</source>
        <translation>第 %1 层没有词元。</translation>
    </message>
    <message>
        <source>Layer %1, expert %2: %3 tokens, %4 × an even share</source>
        <translation>第 %1 层，专家 %2：%3 个词元，%4 × 平均份额</translation>
    </message>
    <message>
        <source>Fullest: %1</source>
        <translation>最满：%1</translation>
    </message>
    <message>
        <source>No experts.</source>
        <translation>没有专家。</translation>
    </message>
    <message>
        <source>%1 layers of up to %2 experts. Fullest: %3</source>
        <translation>%1 层，每层至多 %2 个专家。最满：%3</translation>
    </message>
</context>
<context>
    <name>peakscope::GridChart</name>
    <message>
        <source>colour alone; the numbers are in the table</source>
        <translation>仅以颜色表示；数字见表格</translation>
    </message>
</context>
<context>
    <name>peakscope::CollectiveView</name>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>A bar is what a rank's collectives send in a phase, over all measured steps. A collective counts in the phase in which it begins.</source>
        <translation>每个柱是一个 rank 的集合通信在一个阶段中发送的字节，所有测量步合计。一次集合通信计入它开始时所在的阶段。</translation>
    </message>
    <message>
        <source>No collectives of this rank are known.</source>
        <translation>这个 rank 没有集合通信的记录。</translation>
    </message>
</context>
<context>
    <name>peakscope::CollectiveChart</name>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Payload (%1)</source>
        <translation>负载（%1）</translation>
    </message>
    <message>
        <source>rank %1 sends %2</source>
        <translation>rank %1 发送 %2</translation>
    </message>
    <message>
        <source>communication: %1 % of the time</source>
        <translation>通信占时间的 %1 %</translation>
    </message>
    <message>
        <source>of that beside computing: %1 %</source>
        <translation>其中与计算重叠：%1 %</translation>
    </message>
    <message>
        <source>its phases are not known</source>
        <translation>其阶段未知</translation>
    </message>
    <message>
        <source>All phases</source>
        <translation>所有阶段</translation>
    </message>
    <message>
        <source>%1, %2: %3 ×, %4 (%5 % of all)</source>
        <comment>phase, kind, calls, bytes, share</comment>
        <translation>%1，%2：%3 次，%4（占全部的 %5 %）</translation>
    </message>
    <message>
        <source>Most: %1</source>
        <translation>最多：%1</translation>
    </message>
    <message>
        <source>No collectives.</source>
        <translation>没有集合通信。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>phase, bytes</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Rank %1 sends %2: %3.</source>
        <translation>rank %1 发送 %2：%3。</translation>
    </message>
</context>
<context>
    <name>peakscope::DialogFoot</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>peakscope::PythonProbe</name>
    <message>
        <source>Runs with %1</source>
        <translation>用 %1 运行</translation>
    </message>
    <message>
        <source>Runs with %1, PyTorch %2</source>
        <translation>用 %1 运行，PyTorch %2</translation>
    </message>
    <message>
        <source>Runs with %1, which does not start</source>
        <translation>用 %1 运行，但它无法启动</translation>
    </message>
    <message>
        <source>Runs with %1, which has no PyTorch</source>
        <translation>用 %1 运行，它没有 PyTorch</translation>
    </message>
</context>
</TS>
