// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Spellings of secrets in launchers, documents and texts, none of which may stay readable, and innocent ones, which
// have to come out as they went in.
#include "core/base/secrets/secrets.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

using Words = std::vector<std::string>;

// The part of each row that has to go; long enough to be a token's rest, with letters of every kind.
constexpr const char* kSecret = "Zq7Xw9Rt2Lm4Pn6Vb8Kd";

// "@" stands for the secret.
std::string withSecret(std::string text)
{
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@'))
        text.replace(at, 1, kSecret);
    return text;
}

std::string joinedBy(const Words& words, char sign)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : std::string(1, sign)) + word;
    return text;
}

Words fromList(const QByteArrayList& list)
{
    Words words;
    for (const QByteArray& word : list)
        words.push_back(word.toStdString());
    return words;
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

QByteArray named(const QByteArray& text, int number)
{
    return QByteArray::number(number) + ": " + text.left(80).simplified();
}

} // namespace

class TestSecrets : public QObject
{
    Q_OBJECT

private slots:
    void launchers_data();
    void launchers();
    void innocentLaunchers_data();
    void innocentLaunchers();
    void tokens_data();
    void tokens();
    void innocentTexts_data();
    void innocentTexts();
    void documents_data();
    void documents();
    void innocentDocuments_data();
    void innocentDocuments();
    void environments();
    void secretsOfOneWord();
    void shortSecrets_data();
    void shortSecrets();
};

void TestSecrets::launchers_data()
{
    QTest::addColumn<QByteArrayList>("words");
    int number = 0;
    for (const QByteArrayList& words : std::initializer_list<QByteArrayList>{
             // variables, whatever they are called
             {"env", "HF_TOKEN_2=@", "python"},
             {"env", "SECRET_KEY_BASE=@"},
             {"env", "PASS_WORD=@"},
             {"env", "ANYTHING=@"},
             {"env", "-i", "-u", "HOME", "lower=@", "sh"},
             {"env", "CUDA_VISIBLE_DEVICES=0", "MY_VALUE=@", "srun"},
             {"env", "SLURM_JWT=@"},
             {"env", "NVIDIA_API_KEY=@"},
             {"env", "TORCH_TOKEN=@"},
             {"env", "CONDA_PASSWORD=@"},
             {"env", "FOO=1,@"},
             {"env", "PASSWORD=no @"},
             {"FOO=@", "python"},
             {"docker", "run", "-e", "any=@", "image"},
             {"docker", "run", "-eFOO=@", "image"},
             {"docker", "run", "--env", "any=@", "image"},
             {"docker", "run", "--env=any=@", "image"},
             {"mpirun", "-x", "FOO=@"},
             {"mpiexec", "-genv", "FOO", "@", "sh"},
             {"mpiexec", "-genv", "FOO=@", "sh"},
             {"bwrap", "--setenv", "any", "@", "sh"},
             {"systemd-run", "--setenv=any=@", "sh"},
             {"srun", "--export=ALL,FOO=@"},
             {"srun", "--export=ALL,OMP_NUM_THREADS=4,FOO=@"},
             {"srun", "--export", "NONE,FOO=@"},
             {"apptainer", "exec", "--env", "A=1,B=@", "image"},
             {"ssh", "-o", "SetEnv=FOO=@", "host"},
             {"ssh", "-oSetEnv=FOO=@", "host"},
             {"ssh", "host", "FOO=@ python"},
             {"qsub", "-v", "FOO=@"},
             // lines for a shell
             {"sh", "-c", "FOO=@ exec \"$0\""},
             {"bash", "-lc", "cd /tmp; export foo=@ && exec x"},
             {"sh", "-c", "FOO='a b @' exec x"},
             {"sh", "-c", "go --password @ run"},
             {"sh", "-c", "sshpass -p @ ssh host"},
             {"sh", "-c", "sh -c 'go --token \"@\"'"},
             {"sh", "-c", "curl -u me:@ host"},
             {"ssh", "host", "env foo=@ python"},
             // options
             {"go", "--token1", "@"},
             {"go", "--hf_token=@"},
             {"go", "--hf-token", "@"},
             {"go", "--apiKey", "@"},
             {"go", "--api.key=@"},
             {"go", "--passphrase", "@"},
             {"go", "--passwort=@"},
             {"go", "--client-secret", "@"},
             {"go", "--ssh-key", "@"},
             {"go", "--access-key-id=@"},
             {"go", "--session-id=@"},
             {"go", "--jwt", "@"},
             {"go", "-pw", "@"},
             {"go", "auth_token=@"},
             {"curl", "--user=me:@", "host"},
             {"curl", "--proxy-user", "me:@", "host"},
             // headers
             {"curl", "-H", "X-Api-Key: @"},
             {"curl", "-H", "PRIVATE-TOKEN: @"},
             {"curl", "-H", "Cookie: id=@; theme=dark"},
             {"curl", "-H", "Authorization: Basic @"},
             {"curl", "-H", "authorization: bearer @"},
             {"curl", "--header=X-Auth-Token:@"},
             // documents in a word
             {"go", R"({"token": "@"})"},
             {"go", R"({"user":"a","apiKey":"@"})"},
             {"go", R"({\"token\": \"@\"})"},
             {"go", R"(--config={'password': '@'})"},
             {"go", R"({"password": "no @"})"},
             {"go", R"({"token": "", "secret": "@"})"},
             {"ray", R"(--runtime-env-json={"env_vars": {"FOO": "@"}})"},
             {"go", R"({"env": ["FOO=@"]})"},
             {"go", R"({"env": [{"name": "FOO", "value": "@"}]})"},
             {"go", R"({"api_keys": ["@"]})"},
             // addresses
             {"go", "https://host/path?key=@"},
             {"go", "https://host/?a=b&sig=@&c=d"},
             {"go", "https://host/?X-Amz-Signature=@"},
             {"go", "https://host/#access_token=@"},
             {"go", "https://me:@\x01host/a"},
             {"go", "https://@\x01host/a"},
             {"go", "--proxy=http://me:@\x01proxy:3128"},
         }) {
        QByteArrayList filled;
        for (const QByteArray& word : words)
            filled << QByteArray::fromStdString(withSecret(word.toStdString())).replace('\x01', '@');
        QTest::newRow(named(words.join(' '), ++number)) << filled;
    }
}

void TestSecrets::launchers()
{
    QFETCH(QByteArrayList, words);
    const Words given = fromList(words);
    const Words clean = commandWithoutSecrets(given);
    QCOMPARE(clean.size(), given.size());
    const std::string shown = joinedBy(clean, '|');
    QVERIFY2(!has(shown, kSecret), shown.c_str());
    QCOMPARE(joinedBy(commandWithoutSecrets(clean), '|'), shown);
    QVERIFY(wordWithoutSecret(clean) != nullptr);
    QCOMPARE(clean.front().substr(0, 2), given.front().substr(0, 2));
    const std::string said = withoutSecretsOf(given, "go: " + std::string(kSecret) + ": no such");
    QVERIFY2(!has(said, kSecret) && has(said, "no such"), said.c_str());
    Json experiment = {{"launcher", given}};
    hideLauncherSecrets(experiment);
    QVERIFY(experiment["launcher"] == Json(clean));
    Json document = {{"config", {{"launcher", given}}}, {"cmd", joinedBy(given, ' ')}};
    QVERIFY(!dropSecrets(document).empty());
    QVERIFY2(!has(document["config"].dump(), kSecret), document.dump().c_str());
}

void TestSecrets::innocentLaunchers_data()
{
    QTest::addColumn<QByteArrayList>("words");
    int number = 0;
    for (const QByteArrayList& words : std::initializer_list<QByteArrayList>{
             {"srun", "--partition=gpu", "--gres=gpu:2", "--export=ALL,OMP_NUM_THREADS=4"},
             {"srun", "--gres=gpu:2,mem=4", "--cpus-per-task=16", "--constraint=a100|h100"},
             {"docker", "run", "--mount", "type=bind,source=/a,target=/b", "img"},
             {"docker", "run", "--gpus", "device=0", "-v", "/run/secrets:/run/secrets:ro", "-p", "8080:80", "img"},
             {"docker", "run", "-e", "HF_TOKEN", "--env-file", "/home/me/token.env", "r:5000/i@sha256:abcdef"},
             {"docker", "run", "-e", "HF_TOKEN=$HF_TOKEN", "-e", "DEBUG=1", "img"},
             {"env", "LD_LIBRARY_PATH=/opt/lib:/usr/lib", "PYTHONPATH=/a b", "PATH=/bin", "x"},
             {"env", "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True"},
             {"env", "CUBLAS_WORKSPACE_CONFIG=:4096:8", "CUDA_VISIBLE_DEVICES=0,1,2,3", "x"},
             {"env", "NCCL_IB_HCA=mlx5_0:1,mlx5_1:1", "GLOO_SOCKET_IFNAME=eth0", "UCX_TLS=rc,cuda", "x"},
             {"env", "TOKENIZERS_PARALLELISM=false", "PEAKSCOPE_CLI=/opt/peakscope-cli", "x"},
             {"env", "OMP_NUM_THREADS=4", "KMP_AFFINITY=granularity=fine,compact,1,0", "TZ=Europe/Berlin", "x"},
             {"env", "-u", "HOME", "-C", "/tmp", "WORLD_SIZE=16", "MASTER_ADDR=node01", "MASTER_PORT=29500", "x"},
             {"mpirun", "-n", "2", "--mca", "btl", "tcp,self", "-x", "LD_LIBRARY_PATH", "-x", "NCCL_DEBUG=INFO"},
             {"mpirun", "--map-by", "ppr:2:node:PE=4", "-H", "host1:2,host2:2"},
             {"mpiexec", "-genv", "OMP_NUM_THREADS", "4", "x"},
             {"bwrap", "--setenv", "LANG", "en_GB.UTF-8", "sh"},
             {"sh", "-c", "OMP_NUM_THREADS=4 exec \"$@\""},
             {"bash", "-lc", "module load cuda/12.4 && exec \"$0\" \"$@\""},
             {"ssh", "-p", "22", "-i", "/home/me/.ssh/id_rsa", "user@host"},
             {"ssh", "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes", "-J", "a@b:22,c@d", "host"},
             {"ssh", "-oProxyCommand=ssh -W %h:%p user@bastion", "host"},
             {"ssh", "host", "HF_TOKEN=$HF_TOKEN python x"},
             {"ssh", "ssh://user@host:22"},
             {"go", "--max-tokens=16384", "--tokenizer=gpt2", "--tokenizer", "bert-base-uncased"},
             {"go", "--max_tokens", "16384", "--tokens-per-step=524288", "--pad-token", "<pad>"},
             {"go", "--token-file=/home/me/token", "--password-file", "/run/secret"},
             {"go", "--no-auth", "x", "--author", "me", "--monkey=banana"},
             {"go", R"({"tokens": [1, 2], "tokenizer": "gpt2"})"},
             {"go", "https://host:8080/path?page=2&sort=name#section", "http://host/@me"},
             {"curl", "-H", "Accept: application/json", "-H", "Content-Type: text/plain"},
             {"kubectl", "exec", "pod", "-c", "worker", "--", "sh"},
             {"conda", "run", "-n", "torch", "--no-capture-output"},
             {"numactl", "--cpunodebind=0", "--membind=0"},
             {"taskset", "-c", "0-15"},
             {"nsys", "profile", "-o", "task-sk-report", "--trace=cuda,nvtx"},
         })
        QTest::newRow(named(words.join(' '), ++number)) << words;
}

void TestSecrets::innocentLaunchers()
{
    QFETCH(QByteArrayList, words);
    const Words given = fromList(words);
    QCOMPARE(joinedBy(commandWithoutSecrets(given), '|'), joinedBy(given, '|'));
    const std::string said = "srun: error: host1: python: exit 1, max_tokens 16384";
    QCOMPARE(withoutSecretsOf(given, said), said);
}

void TestSecrets::tokens_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* prefix : {"hf_",
                               "api_org_",
                               "ghp_",
                               "gho_",
                               "ghu_",
                               "ghs_",
                               "ghr_",
                               "github_pat_",
                               "glpat-",
                               "sk-",
                               "sk-proj-",
                               "sk-ant-",
                               "sk_live_",
                               "sk_test_",
                               "rk_live_",
                               "xoxa-",
                               "xoxb-",
                               "xoxp-",
                               "xoxr-",
                               "xoxs-",
                               "xapp-",
                               "ya29.",
                               "npm_",
                               "pypi-",
                               "dckr_pat_",
                               "nvapi-",
                               "gsk_",
                               "r8_",
                               "SG.",
                               "shpat_",
                               "lin_api_",
                               "ntn_",
                               "dop_v1_",
                               "hvs.",
                               "tskey-",
                               "xai-",
                               "pplx-",
                               "lsv2_",
                               "wandb_v1_",
                               "AIzaAbcDefGhiJklMnoPqr",
                               "eyJhbGciOi.eyJzdWIi."})
        QTest::newRow(prefix) << QByteArray(prefix);
    QTest::newRow("bearer") << QByteArray("Authorization: Bearer ");
    QTest::newRow("cookie") << QByteArray("Set-Cookie: id=");
    QTest::newRow("password of an address") << QByteArray("see https://me:");
    QTest::newRow("query") << QByteArray("GET /x?a=b&access_token=");
    QTest::newRow("private key") << QByteArray("-----BEGIN RSA PRIVATE KEY-----\n");
}

void TestSecrets::tokens()
{
    QFETCH(QByteArray, text);
    const std::string secret = text.toStdString() + kSecret;
    const std::string end = text.startsWith("see") ? "@host/a" : "";
    for (const char* front : {"", "is ", "\"", "a=", "line\\n", "%20", "\n"}) {
        const std::string clean = withoutSecrets(front + secret + end);
        QVERIFY2(!has(clean, kSecret) && has(clean, "[removed]") && clean.starts_with(front), clean.c_str());
        QCOMPARE(withoutSecrets(clean), clean);
    }
    const std::string clean = joinedBy(commandWithoutSecrets({"go", "x", "a " + secret + end}), ' ');
    QVERIFY2(!has(clean, kSecret), clean.c_str());
}

void TestSecrets::innocentTexts_data()
{
    QTest::addColumn<QByteArray>("text");
    int number = 0;
    for (const char* text : {"hf_hub_cache",
                             "hf_hub_download_of_large_files",
                             "sk-learn-contrib-some-name",
                             "disk-usage-of-everything-here",
                             "npm_config_cache_folder",
                             "xai-methods-for-all-of-us",
                             "SG.short",
                             "ghp_short",
                             "sk-1",
                             "AKIA",
                             "AKIA and others",
                             "eyJ is how they begin",
                             "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
                             "the bearer of good news",
                             "https://host:8080/a/b?page=2",
                             "mail me@host.org",
                             "http://user@host/x",
                             "token: expected a number, not text",
                             "max_tokens=16384, tokens: 5",
                             "key=value; sort_key=name",
                             "gpt2/layers.0.attn: 12.5 MiB",
                             "pad_token=<pad>",
                             "tokenizer=gpt2",
                             "loss = 0.25 at token = 16384",
                             "blake2:0123456789abcdef0123456789abcdef"})
        QTest::newRow(named(text, ++number)) << QByteArray(text);
}

void TestSecrets::innocentTexts()
{
    QFETCH(QByteArray, text);
    QCOMPARE(QByteArray::fromStdString(withoutSecrets(text.toStdString())), text);
    Json document = {{"note", text.toStdString()}};
    const Json before = document;
    QVERIFY2(dropSecrets(document).empty() && document == before, document.dump().c_str());
}

void TestSecrets::documents_data()
{
    QTest::addColumn<QByteArray>("text");
    int number = 0;
    for (const char* text : {R"({"environment": {"HF_TOKEN_2": "@"}})",
                             R"({"env": {"SOMETHING": "@"}})",
                             R"({"environ": {"A": "@", "B": "@"}})",
                             R"({"env_vars": {"X": "@"}})",
                             R"({"environment_variables": {"X": "@"}})",
                             R"({"variables": {"X": "@"}})",
                             R"({"run": {"Env": {"X": "@"}}})",
                             R"({"runtime_env": {"env_vars": {"X": "@"}}})",
                             R"({"envVars": {"X": ["@"]}})",
                             R"({"env": ["X=@", "PATH=/bin"]})",
                             R"({"env": "X=@ PATH=/bin"})",
                             R"({"env": [{"name": "X", "value": "@"}]})",
                             R"({"env": {"SLURM_JWT": "@"}})",
                             R"({"env": {"hf_token": "@"}})",
                             R"({"token2": "@"})",
                             R"({"apiKey": "@"})",
                             R"({"HF_TOKENS": "token=@"})",
                             R"({"a": [{"client_secret": {"value": "@"}}]})",
                             R"({"passphrase": "@"})",
                             R"({"session_id": "@"})",
                             R"({"Cookie": "a=@"})",
                             R"({"name": "HF_TOKEN", "value": "@"})",
                             R"({"argv": ["x.py", "--hf_token", "@"]})",
                             R"({"command": "x.py --hf_token @ --lr 1"})",
                             R"({"cmd": "FOO=@ python x.py"})",
                             R"({"note": "HF_TOKEN=@"})",
                             R"({"note": "{\"token\": \"@\"}"})",
                             R"_({"note": "TrainingArguments(hub_token='@', lr=1)"})_",
                             R"({"url": "https://host/x?sig=@"})"})
        QTest::newRow(named(text, ++number)) << QByteArray::fromStdString(withSecret(text));
}

void TestSecrets::documents()
{
    QFETCH(QByteArray, text);
    Json document = Json::parse(text.toStdString());
    const std::vector<std::string> dropped = dropSecrets(document);
    QVERIFY(!dropped.empty());
    QVERIFY2(!has(document.dump(), kSecret), document.dump().c_str());
    for (const std::string& path : dropped)
        QVERIFY2(!has(path, kSecret), path.c_str());
    QVERIFY(dropSecrets(document).empty()); // and a second look finds nothing
}

void TestSecrets::innocentDocuments_data()
{
    QTest::addColumn<QByteArray>("text");
    int number = 0;
    for (const char* text :
         {R"({"environment": {"device": "cuda", "host": "node1", "threads": 4, "libtorch": "2.5"}})",
          R"({"environment": {"PATH": "/bin", "OMP_NUM_THREADS": "4", "SLURM_JOB_ID": "77", "CUDA_HOME": "/c"}})",
          R"({"env": ["PATH=/bin", "NCCL_DEBUG=INFO", "TZ=UTC"]})", R"({"env": "PATH=/bin LANG=C"})",
          R"({"variables": ["x", "y"], "N": 5, "BATCH": "many"})", R"({"max_tokens": 16384, "tokenizer": "gpt2"})",
          R"({"token": 512, "tokens": ["a", "b"], "pad_token": "<pad>", "eos_token_id": 3, "token_count": "5"})",
          R"({"token_loss": [0.5, 0.25], "per_token": {"bytes": 12}, "special_tokens": {"a": "b"}})",
          R"({"forward_pass": "first", "sort_key": "name", "author": "me", "sessions": ["a"], "secret": false})",
          R"({"command": "srun --gres=gpu:2,mem=4 python x.py --max_tokens 16384"})",
          R"({"argv": ["x.py", "--lr=1e-3", "--tokenizer", "gpt2", "model=gpt2"]})",
          R"({"config": {"launcher": ["env", "OMP_NUM_THREADS=4", "ssh", "host"]}})"})
        QTest::newRow(named(text, ++number)) << QByteArray(text);
}

void TestSecrets::innocentDocuments()
{
    QFETCH(QByteArray, text);
    Json document = Json::parse(text.toStdString());
    const Json before = document;
    const std::vector<std::string> dropped = dropSecrets(document);
    QVERIFY2(document == before, document.dump().c_str());
    QVERIFY(dropped.empty());
}

void TestSecrets::environments()
{
    Json document = {
        {"environment", {{"device", "cpu"}, {"PATH", "/bin"}, {"FOO", "a"}, {"EMPTY", ""}, {"WORLD_SIZE", "2"}}},
        {"env", {"LANG=C", "BAR=b", "RANK=0"}}};
    const std::vector<std::string> dropped = dropSecrets(document);
    QCOMPARE(joinedBy(dropped, ' '), std::string("env[1] environment.FOO"));
    QVERIFY2(document == Json({{"environment", {{"device", "cpu"}, {"PATH", "/bin"}, {"WORLD_SIZE", "2"}}},
                               {"env", {"LANG=C", "RANK=0"}}}),
             document.dump().c_str());
}

// Where a word loses its rest, each of what was in it is kept from what the command says.
void TestSecrets::secretsOfOneWord()
{
    const Words words = {"sh", "-c", "FOO=first1; BAR='second2' exec x https://u:third3@h/?key=fourth4 --token fifth5"};
    QCOMPARE(commandWithoutSecrets(words).back(), std::string("FOO=[removed]"));
    const std::string said = withoutSecretsOf(words, "first1 second2 third3 fourth4 fifth5 exec");
    QCOMPARE(said, std::string("[removed] [removed] [removed] [removed] [removed] exec"));
    const std::string list = withoutSecretsOf({"srun", "--export=A=first1,B=second2"}, "second2: not found");
    QCOMPARE(list, std::string("[removed]: not found"));
    QCOMPARE(withoutSecretsOf({"go", "https://u:abcd@h/?key=efgh"}, "efgh abcd"), std::string("[removed] [removed]"));
}

void TestSecrets::shortSecrets_data()
{
    QTest::addColumn<QByteArrayList>("words");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const QByteArrayList& words, const QByteArray& shown) {
        QTest::newRow(words.join(' ')) << words << shown;
    };
    row({"env", "FOO=abc", "x"}, "env|FOO=[removed]|x");
    row({"env", "FOO=12345", "BAR=1234"}, "env|FOO=[removed]|BAR=1234");
    row({"env", "FOO=$xAbc", "BAR=$A-bc", "BAZ=$FOO"}, "env|FOO=[removed]|BAR=[removed]|BAZ=$FOO");
    row({"go", "--token", "$HF_TOKEN", "--password", "$ecret"}, "go|--token|$HF_TOKEN|--password|[removed]");
    row({"srun", "--export=ALL,OMP_NUM_THREADS=4,FOO=abc", "x"}, "srun|--export=ALL,OMP_NUM_THREADS=4,FOO=[removed]|x");
    row({"go", "https://h/?page=2&key=abcde&sort=up"}, "go|https://h/?page=2&key=[removed]&sort=up");
    row({"go", R"({"user":"me","token":"abc"})"}, R"(go|{"user":"me","token":"[removed])");
}

void TestSecrets::shortSecrets()
{
    QFETCH(QByteArrayList, words);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(joinedBy(commandWithoutSecrets(fromList(words)), '|')), shown);
}

PEAKSCOPE_GUILESS_TEST(TestSecrets)
#include "test_secrets.moc"
