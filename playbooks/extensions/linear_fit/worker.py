"""Tool kind `linear_fit`: the straight line through points. A worker in Python: pip install temporalio; python worker.py"""
import asyncio, os
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker


def fit(points):
    n, xs, ys = len(points), [float(x) for x, _ in points], [float(y) for _, y in points]
    mx, my = sum(xs) / n, sum(ys) / n
    spread = sum((x - mx) ** 2 for x in xs)
    if spread == 0:
        raise ValueError("the points have one x only: no line goes through them")
    slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / spread
    return {"slope": slope, "intercept": my - slope * mx, "points": n}


@activity.defn(name="linear_fit")
async def linear_fit(call: dict) -> dict:
    beats = asyncio.create_task(heartbeat())
    try:
        return {"status": "ok", "result": await asyncio.to_thread(fit, call["config"]["points"])}
    except (ValueError, TypeError, ZeroDivisionError) as error:
        outcome = {"kind": "validation", "code": "FIT", "message": f"linear_fit: {error}", "retryable": False}
        raise ApplicationError(str(error), {"status": "error", "error": outcome}, type="linear_fit.FIT", non_retryable=True)
    finally:
        beats.cancel()

async def heartbeat():  # more often than the `heartbeat` that the playbook declares
    while True:
        activity.heartbeat()
        await asyncio.sleep(2)


async def main():
    client = await Client.connect(os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"))
    await Worker(client, task_queue="noetl-linear_fit", activities=[linear_fit]).run()

asyncio.run(main())
