"""Two environments of OpenEnv, as their users write them: tools in a shop, and sums that are answered by a text."""

import random
from typing import Any, Optional

from fastmcp import FastMCP
from openenv.core.env_server import Action, Observation, State, create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

FRUIT = ["apple", "pear", "plum", "fig", "cherry", "lime"]


class Question(Observation):
    question: str = ""


class Shop(MCPEnvironment):
    """A fruit has a price, which lookup tells; submit ends the episode."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        mcp = FastMCP("shop")
        self.price = self.given = None

        @mcp.tool
        def lookup(key: str) -> str:
            """The price of a fruit."""
            if key not in FRUIT:
                raise ValueError("no such fruit")
            return "a %s costs %d" % (key, self.price)

        @mcp.tool
        def submit(answer: str) -> str:
            """Ends the episode with an answer."""
            self.given = answer
            return "thanks"

        super().__init__(mcp)

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> Observation:
        r = random.Random(seed)
        self.fruit, self.price, self.given = r.choice(FRUIT), r.randint(2, 99), None
        print("the environment prints a line")
        return Question(question="what does the %s no. %d cost?" % (self.fruit, r.randint(0, 9999)))

    def _step_impl(self, action, timeout_s=None, **kwargs):
        raise ValueError("use the tools")

    def paid(self, shown):
        if self.given is not None:
            shown.done, shown.reward = True, 1.0 if str(self.price) in self.given else 0.25
        return shown

    def step(self, action, timeout_s=None, **kwargs):
        return self.paid(super().step(action, timeout_s, **kwargs))

    async def step_async(self, action, timeout_s=None, **kwargs):
        return self.paid(await super().step_async(action, timeout_s, **kwargs))

    @property
    def state(self):
        return State()


class Say(Action):
    message: str


class Sums(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **kwargs):
        if seed == 3:
            raise ValueError("the third reset is broken")
        r = random.Random(seed)
        self.seed, self.a, self.b = seed, r.randint(0, 99), r.randint(0, 99)
        return Question(question="what is %d + %d?" % (self.a, self.b))

    def step(self, action, timeout_s=None, **kwargs):
        if self.seed == 4 and action.message:
            raise ValueError("the fourth step is broken")
        reward = float("nan") if self.seed == 5 and action.message else float(str(self.a + self.b) in action.message)
        return Question(question="thanks", done=True, reward=None if self.seed == 6 and action.message else reward)

    @property
    def state(self):
        return State()


shop = create_app(Shop, CallToolAction, CallToolObservation, env_name="shop", max_concurrent_envs=4)
sums = create_app(Sums, Say, Question, env_name="sums", max_concurrent_envs=4)
