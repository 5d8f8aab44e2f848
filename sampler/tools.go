package sampler

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// maxParallelCalls bounds the calls of one turn that run at once, as in the reference loop of the
// hosted trainer.
const maxParallelCalls = 8

// callTools makes all calls of a turn and records them in call order. A call whose endpoint fails
// does not stop the others; once all have ended, the first such failure in call order is returned.
func (e *episode) callTools(ctx context.Context, calls []rollout.ToolCall) error {
	turn := len(e.turns) - 1
	done := make([]rollout.Call, len(calls))
	errs := make([]error, len(calls))
	if len(calls) == 1 {
		done[0], errs[0] = e.callTool(ctx, turn, calls[0])
	} else {
		var g errgroup.Group
		g.SetLimit(maxParallelCalls)
		for i, c := range calls {
			g.Go(func() error {
				done[i], errs[i] = e.callTool(ctx, turn, c)
				return nil
			})
		}
		_ = g.Wait() // the goroutines report through errs
	}
	outputs := make([]string, len(calls))
	for i := range done {
		e.blank(&done[i].Output)
	}
	for i, c := range done {
		outputs[i] = c.Output
		e.rec.Retries += c.Retries
		if errs[i] == nil {
			e.rec.Messages = append(e.rec.Messages, rollout.Message{
				Role: "tool", ToolCallID: c.ID, Name: c.Name,
				Content: c.Output,
			})
		}
	}
	e.turns[turn].Outputs = outputs
	e.steps += len(calls)
	e.rec.Calls = append(e.rec.Calls, done...)
	e.look.inCalls(done)
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("call %s: %w", calls[i].Name, err)
		}
	}
	return nil
}

// callTool makes one call. The call's Output is what the model sees, errors included; err is the
// failure of an endpoint.
func (e *episode) callTool(ctx context.Context, turn int, c rollout.ToolCall) (call rollout.Call, err error) {
	offset := e.by.Active()
	took := e.by.Until(ctx, 0, nil)
	defer took.Stop()
	call = rollout.Call{Turn: turn, ID: c.ID, Name: c.Name, Arguments: c.Arguments, Offset: rollout.Seconds(offset)}
	defer func() { call.Elapsed = rollout.Seconds(took.Active()) }()
	tool, mistake := e.resolve(c)
	if mistake != "" {
		call.Status, call.Error, call.Output = rollout.CallMalformed, endpoint.Brief(mistake), "Error: "+mistake
		call.OutputBytes = len(call.Output)
		return call, nil
	}
	out := Call{ID: c.ID, Arguments: c.Arguments, TraceID: e.trace, Item: e.todo.Item, RolloutSession: e.box}
	if strings.TrimSpace(out.Arguments) == "" {
		out.Arguments = "{}"
	}
	var res Result
	r := endpoint.Request{Endpoint: endpoint.Tool(c.Name), Name: c.ID, Timeout: e.cfg.ToolTimeout}
	call.Retries, err = took.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) (err error) {
		out.Try = t
		res, err = tool.Call(ctx, out)
		return err
	})
	if err == nil {
		if end := e.mute[c.Name].observe(e.trace, res); end != nil {
			e.stop(end)
			err = end
		}
	}
	if err != nil {
		call.Status, call.Error = rollout.CallFailed, endpoint.Brief(err.Error())
		if f, ok := endpoint.AsFailure(err); ok {
			call.HTTPStatus = f.Status
		}
		return call, err
	}
	call.Status, call.Output, call.OutputBytes, call.HTTPStatus = rollout.CallOK, res.Output, len(res.Output),
		res.HTTPStatus
	if call.Error = endpoint.Brief(res.Note); res.Error != "" {
		call.Status, call.Error = rollout.CallError, endpoint.Brief(res.Error)
	}
	return call, nil
}

// resolve finds the tool of a call and checks the arguments; mistake tells the model what it did
// wrong.
func (e *episode) resolve(c rollout.ToolCall) (tool Tool, mistake string) {
	tool, ok := e.b.Tools[c.Name]
	if !ok {
		names := make([]string, 0, len(e.b.Tools))
		for name := range e.b.Tools {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil, fmt.Sprintf("there is no tool %q; the tools are: %s", c.Name, strings.Join(names, ", "))
	}
	args := bytes.TrimSpace([]byte(c.Arguments))
	if len(args) == 0 { // a tool without parameters is often called this way
		return tool, ""
	}
	if args[0] != '{' || !json.Valid(args) {
		return nil, fmt.Sprintf("the arguments of %q are not a JSON object", c.Name)
	}
	return tool, ""
}
