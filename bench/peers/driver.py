"""The native engines of the comparison: lines of JSON in, lines of JSON out, as protocol.ts says.

A token's time is the mask into a buffer of ours, the look at its bit and the acceptance, read from perf_counter_ns; what
the interpreter adds to it is measured by the same loop around the cheapest native calls and reported as overheadNs.
One thread; Python's collector is off.
"""

import ctypes
import gc
import importlib
import importlib.metadata
import json
import os
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
now = time.perf_counter_ns


class Refused(Exception):
    pass


class LLGuidance:
    """A matcher is taken back to its beginning for the next instance, so that what its lexer has learnt is kept."""

    package = "llguidance"
    modules = ("llguidance",)
    settings = "as it comes (white space flexible)"

    def __init__(self, opening):
        llguidance = importlib.import_module("llguidance")
        self.module = llguidance.LLMatcher
        with open(opening["tokenizer"], encoding="utf-8") as file:
            self.tokenizer = llguidance.LLTokenizer(
                file.read(), n_vocab=opening["size"], eos_token=opening["endId"]
            )
        self.mask = bytearray((opening["size"] + 31) // 32 * 4)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.mask))

    def prepared(self, source, notation):
        # Its own notation is Lark's, and the translation from GBNF is a script beside it: not its time.
        if notation == "gbnf":
            convert = importlib.import_module("llguidance.gbnf_to_lark").gbnf_to_lark
            try:
                return self.module.grammar_from_lark(convert(source))
            except Exception as error:
                raise Refused(str(error)) from None
        return source

    def compile(self, source, notation):
        try:
            grammar = source
            if notation == "json-schema":
                grammar = self.module.grammar_from_json_schema(source)
            matcher = self.module(self.tokenizer, grammar, log_level=0)
        except ValueError as error:
            raise Refused(str(error)) from None
        if matcher.is_error():
            raise Refused(matcher.get_error())
        return matcher

    def matcher(self, compiled):
        if not compiled.reset():
            raise RuntimeError(compiled.get_error())
        return compiled

    def step(self, matcher):
        fill, accept = matcher.unsafe_compute_mask_ptr, matcher.consume_token
        mask, address, size = self.mask, self.address, len(self.mask)

        def step(token):
            started = now()
            fill(address, size)
            allowed = mask[token >> 3] >> (token & 7) & 1
            if allowed:
                accept(token)
            return allowed, now() - started

        return step

    def empty_step(self, matcher):
        fill, accept = matcher.is_error, matcher.is_error
        mask = self.mask

        def step(token):
            started = now()
            fill()
            allowed = mask[token >> 3] >> (token & 7) & 1
            accept()
            return allowed, now() - started

        return step

    def ended(self, matcher):
        return matcher.is_accepting()

    def failure(self, matcher):
        return matcher.get_error() if matcher.is_error() else None

    def forget(self):
        pass


class XGrammar:
    package = "xgrammar"
    modules = ("transformers", "xgrammar")
    dynamic = False
    settings = "any white space, not strict, one thread"

    def __init__(self, opening):
        transformers = importlib.import_module("transformers")
        xgrammar = importlib.import_module("xgrammar")
        self.module = xgrammar
        size = opening["size"]
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=opening["tokenizer"])
        info = xgrammar.TokenizerInfo.from_huggingface(
            tokenizer, vocab_size=size, stop_token_ids=[opening["endId"]]
        )
        options = {"enable_dynamic_compilation": True} if self.dynamic else {}
        self.compiler = xgrammar.GrammarCompiler(
            info, max_threads=1, cache_limit_bytes=2_000_000_000, **options
        )
        self.mask = xgrammar.allocate_token_bitmask(1, size)
        self.bits = (ctypes.c_uint8 * (self.mask.numel() * 4)).from_address(self.mask.data_ptr())

    def prepared(self, source, notation):
        return source

    def compile(self, source, notation):
        try:
            if notation == "gbnf":
                return self.compiler.compile_grammar(source)
            return self.compiler.compile_json_schema(source, any_whitespace=True, strict_mode=False)
        except Exception as error:
            raise Refused(str(error).strip()) from None

    def matcher(self, compiled):
        return self.module.GrammarMatcher(compiled)

    def step(self, matcher):
        fill, accept = matcher.fill_next_token_bitmask, matcher.accept_token
        mask, bits = self.mask, self.bits

        def step(token):
            started = now()
            fill(mask)
            allowed = bits[token >> 3] >> (token & 7) & 1
            if allowed:
                accept(token)
            return allowed, now() - started

        return step

    def empty_step(self, matcher):
        fill, accept = matcher.is_terminated, matcher.is_terminated
        bits = self.bits

        def step(token):
            started = now()
            fill()
            allowed = bits[token >> 3] >> (token & 7) & 1
            accept()
            return allowed, now() - started

        return step

    def ended(self, matcher):
        return matcher.is_completed()

    def failure(self, matcher):
        return None

    def forget(self):
        self.compiler.clear_cache()


class XGrammarDynamic(XGrammar):
    dynamic = True
    settings = XGrammar.settings + ", dynamic compilation"


ENGINES = {"llguidance": LLGuidance, "xgrammar": XGrammar, "xgrammar-dynamic": XGrammarDynamic}


def memory():
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except OSError:
        # Only Linux says.
        return {"resident": 0, "heap": 0}
    return {"resident": pages * os.sysconf("SC_PAGE_SIZE"), "heap": 0}


def overhead(engine):
    """Median time of a step that asks the engine for nothing."""
    matcher = engine.matcher(engine.compile('{"type": "null"}', "json-schema"))
    step = engine.empty_step(matcher)
    return sorted(step(token % 1000)[1] for token in range(10_000))[5_000]


def follow(engine, compiled, ids, deadline):
    times = []
    try:
        matcher = engine.matcher(compiled)
        step = engine.step(matcher)
        for token in ids:
            if now() > deadline:
                return {"accepted": False, "stopped": "over the time limit", "ns": times}
            allowed, taken = step(token)
            times.append(taken)
            if not allowed:
                return {"accepted": False, "stopped": engine.failure(matcher), "ns": times}
        failure = engine.failure(matcher)
        accepted = failure is None and engine.ended(matcher)
        return {"accepted": accepted, "stopped": failure, "ns": times}
    except Exception as error:
        return {"accepted": False, "stopped": str(error).strip(), "ns": times}


def judge(engine, job):
    if job.get("forget"):
        engine.forget()
    notation = job["notation"]
    begun = now()
    try:
        source = engine.prepared(job["source"], notation)
        begun = now()
        compiled = engine.compile(source, notation)
    except Refused as refusal:
        return {
            "refused": str(refusal),
            "compileNs": now() - begun,
            "instances": [],
            "memory": memory(),
        }
    compile_ns = now() - begun
    deadline = begun + int(job["limitMs"] * 1e6)
    instances = []
    for number, ids in enumerate(job["instances"]):
        if job["cold"] and number > 0:
            engine.forget()
            compiled = engine.compile(source, notation)
        instances.append(follow(engine, compiled, ids, deadline))
    del compiled
    return {"refused": None, "compileNs": compile_ns, "instances": instances, "memory": memory()}


def main():
    # What an engine prints must not come between the lines.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(value):
        answers.write(json.dumps(value, separators=(",", ":")) + "\n")
        answers.flush()

    engine = None
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            if engine is not None:
                answer(judge(engine, asked))
                continue
            chosen = ENGINES[asked["engine"]]
            for name in chosen.modules:
                importlib.import_module(name)
            started = now()
            engine = chosen(asked)
            load_ms = (now() - started) / 1e6
            gc.collect()
            gc.freeze()
            gc.disable()
            answer(
                {
                    "version": importlib.metadata.version(engine.package),
                    "settings": engine.settings,
                    "loadMs": load_ms,
                    "overheadNs": overhead(engine),
                    "memory": memory(),
                }
            )
    except Exception as error:
        answer({"error": f"{type(error).__name__}: {error}"})
        sys.exit(1)


main()
